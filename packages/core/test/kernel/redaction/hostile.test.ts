import { describe, expect, test } from '@jest/globals'
import { fastest, pace } from '../../../../../test/support/pace.ts'
import { ALL_FAMILIES } from '../../../src/kernel/redaction/families.ts'
import { findSecrets } from '../../../src/kernel/redaction/find-secrets.ts'
import { redact } from '../../../src/kernel/redaction/redactor.ts'

const SIZE_CHARS = 100 * 1024
/**
 * The promise is 20 ms. A test shares its core, which more than doubles the time. An expression whose time
 * grows with the square of the input takes seconds.
 */
const LIMIT_MS = 60
/** Runs; the best counts, since the first ones also compile the expressions. */
const ATTEMPTS = 20
const ROUNDS = 50
/** Measured: 0.2; 1.1 when every pattern reads every line. */
const MOST_OF_ALL = 0.5

const UNITS = [
  ...[
    'password is ',
    'password="',
    'password="a\'',
    'password:"\\\\',
    'password=a1! ',
    'password = ',
    'password11 ',
  ],
  ...[
    'password=,a',
    `password=&${'a'.repeat(64)}`,
    'password for a b c d ',
    'token ',
    'tokentoken is ',
    'token_token',
  ],
  ...[
    'secret_key',
    'api key ',
    'key_key_access_',
    'password\\":\\"',
    'password:\t\t\t\t\t\t\t\t',
    '<password>',
    '<a',
  ],
  ...[
    '--password ',
    '--a-',
    '--aaaaaaaaaa-token ',
    'sk-',
    'sk-a ',
    '-sk-',
    'ghp_',
    `ghs_${'a'.repeat(25)}`,
    'glpat-',
  ],
  ...[
    'xoxb-',
    'AKIA',
    `AKIA${'A'.repeat(17)} `,
    'hooks.slack.com/',
    'SG.',
    `SG.${'a'.repeat(16)}`,
    'svc_',
    'svct_v1',
    'svcsk_',
    'svcat_',
  ],
  ...[
    'hvs.',
    'AGE-SECRET-KEY-1',
    '1//0',
    '%201//0',
    'eyJ',
    'eyJ.',
    'eyJhbGciOiJub25lIn0.',
    'eyJhbGciOiJub25l',
  ],
  ...[
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----a',
    '-----BEGIN ',
    '-----END PRIVATE KEY-----',
    'secret:[',
    'secret:[a](b?token=[',
    'password=$(',
  ],
  ...[
    '://',
    '://a:',
    '://a:b@',
    '@://a:1',
    `://${'a'.repeat(20)}`,
    '://@',
    '4111 1111 1111 1111 ',
    '4111111111111111',
  ],
  ...[
    '4',
    '1 ',
    'DE89',
    'DE89 ',
    'DE89 3704 ',
    'de893704004405320130',
    'authorization:',
    'authorization: digest ',
  ],
  ...[
    'authorization: digest ="',
    'bearer ',
    'basic ',
    'basic aaaaaaaaaaaa',
    'cookie:',
    'cookie: a=',
    'curl ',
    'curl -u ',
  ],
  ...[
    'curl -u a:',
    '?key=',
    '?key=a',
    '\u200b',
    '\u001b[0m',
    '\u001b[',
    '\u0301\u0316',
    '\ufdfa',
    '\uff11',
    '\ud800',
  ],
  ...[
    'ｐａｓｓｗｏｒｄ：ａ１ ',
    '😀',
    '[redacted:secret]',
    '[redacted:',
    'a',
    '\n',
    ' ',
    '/',
    '.',
    '=',
    ',',
    '-',
    '_',
  ],
  ...['"', '\\', '\\"', '%20', 'Aa1+'],
]

const FRAMES = [
  ['', ''],
  ['password="', ''],
  ['-----BEGIN PRIVATE KEY-----', ''],
  ['x', '@'],
  ['password is ', 'a'],
] as const

/**
 * Returns the time of a text as a share of the limit: from one run if that is below it, else from the fastest
 * run at the machine's pace.
 */
function shareOfLimit(text: string): number {
  const run = () => redact(text)
  const share = fastest(1, run) / LIMIT_MS
  return share < 1 ? share : fastest(ATTEMPTS, run) / (LIMIT_MS * pace())
}

describe('100 KB of hostile input', () => {
  test.each(UNITS)('made of %j takes a time that grows with its length only', (unit) => {
    const body = unit.repeat(Math.ceil(SIZE_CHARS / unit.length)).slice(0, SIZE_CHARS)
    for (const [before, after] of FRAMES) {
      expect(shareOfLimit(before + body + after)).toBeLessThan(1)
    }
  })

  test('of every pair of fragments takes a time that grows with its length only', () => {
    for (const [place, unit] of UNITS.entries()) {
      const pair = unit + (UNITS[(place * 37 + 11) % UNITS.length] ?? '')
      expect(
        shareOfLimit(pair.repeat(Math.ceil(SIZE_CHARS / pair.length)).slice(0, SIZE_CHARS)),
      ).toBeLessThan(1)
    }
  })
})

describe('a full request of log lines', () => {
  test('without a secret, 1,000 lines of 200 characters, takes a fraction of what all patterns would take', () => {
    const line = '2026-11-20T19:47:59.123Z INFO [web-1] GET /v1/jobs/claim 200 12ms request=3f2c9a1b0c4d5e6f '
    const lines = Array.from({ length: 1_000 }, (_, at) => `${at} ${line.repeat(3)}`.slice(0, 200))
    const own = () => lines.map(redact)
    const all = () => lines.map((text) => findSecrets(text, ALL_FAMILIES))
    // Both are measured in turn, so that a slow moment affects both.
    const shares = Array.from({ length: ROUNDS }, () => fastest(1, own) / fastest(1, all))
    expect(shares.toSorted((one, other) => one - other)[ROUNDS / 2]).toBeLessThan(MOST_OF_ALL)
  })
})
