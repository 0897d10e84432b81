import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { LEADS, MadeUp, SPELLINGS } from '../../../../../test/support/made-up-secrets.ts'
import { ALL_FAMILIES } from '../../../src/kernel/redaction/families.ts'
import { findSecrets } from '../../../src/kernel/redaction/find-secrets.ts'
import { redact } from '../../../src/kernel/redaction/redactor.ts'
import { readFamilies } from '../../../src/kernel/redaction/tripwire.ts'
import { LABELLED_SAMPLES } from './labelled-samples.ts'
import { PROSE } from './prose.ts'
import { SAMPLES } from './samples.ts'

const words = [...new Set(PROSE.flatMap((text) => text.split(' ')))]
const prose = fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((some) => some.join(' '))
const glue = fc.constantFrom(
  ' ',
  '\n',
  '\t',
  ': ',
  '=',
  '"',
  "'",
  '(',
  '<',
  '\\n',
  '%20',
  ', ',
  '> ',
  '\u200b ',
  ' — ',
)

const planted = fc
  .tuple(fc.constantFrom(...Object.keys(SPELLINGS)), fc.nat())
  .map(([kind, seed]) => ({ lead: LEADS[kind] ?? '', secret: SPELLINGS[kind]?.(new MadeUp(seed)) ?? '' }))

const machineValue = fc.nat().map((seed) => {
  const random = new MadeUp(seed)
  return `${random.of('alphanumeric', 16 + random.below(20))}7x`
})

/** Pieces of patterns, so that random text nearly matches every pattern. */
const fragment = fc.oneof(
  fc.constantFrom(
    'password',
    'token',
    'api key',
    ' is ',
    ': ',
    '=',
    '"',
    "'",
    '\\"',
    '://',
    '@',
    ':',
    '/',
    ' ',
    '\n',
    ',',
    '&',
  ),
  fc.constantFrom(
    'Authorization',
    'Bearer ',
    'Basic ',
    'Cookie: ',
    'curl -u ',
    '--',
    '<',
    '>',
    '?key=',
    'sk-',
    'ghp_',
    'eyJ',
  ),
  fc.constantFrom(
    'svc_',
    'AKIA',
    'SG.',
    '.',
    '-',
    '-----BEGIN PRIVATE KEY-----',
    '-----END',
    '[redacted:secret]',
    'DE89 ',
  ),
  fc.constantFrom(...SAMPLES.map(({ secret }) => secret)),
  fc.constantFrom(...words),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.nat().map((seed) => new MadeUp(seed).of('base64url', 1 + (seed % 50))),
)
const nearMiss = fc.array(fragment, { maxLength: 14 }).map((pieces) => pieces.join(''))

describe('for any text', () => {
  test('a planted secret of any kind does not survive', () => {
    const property = fc.property(
      prose,
      glue,
      planted,
      glue,
      prose,
      (before, open, { lead, secret }, close, after) => {
        expect(redact(before + open + lead + secret + close + after)).not.toContain(secret)
      },
    )
    fc.assert(property, { numRuns: 5_000 })
  })

  test('a planted value does not survive any of its labels', () => {
    const labels = fc.constantFrom(
      ...LABELLED_SAMPLES.filter(([, secret]) => !secret.includes('=')).map(([text]) => text),
    )
    const property = fc.property(prose, labels, machineValue, prose, (before, label, secret, after) => {
      expect(redact(`${before} ${label.replace('~', secret)} ${after}`)).not.toContain(secret)
    })
    fc.assert(property, { numRuns: 5_000 })
  })

  test('redacting twice changes nothing more', () => {
    const property = fc.property(nearMiss, (text) => {
      const once = redact(text)
      expect(redact(once)).toBe(once)
    })
    fc.assert(property, { numRuns: 10_000 })
  })

  test('the tripwire names every family in which the whole table finds something', () => {
    const agree = (text: string) =>
      expect(findSecrets(text, readFamilies(text).families)).toEqual(findSecrets(text, ALL_FAMILIES))
    for (const { text } of SAMPLES) agree(text)
    fc.assert(fc.property(nearMiss, agree), { numRuns: 5_000 })
  })

  test('of random prose without a secret, less than one in a thousand changes', () => {
    let changed = 0
    const runs = 5_000
    const property = fc.property(
      fc.array(fc.constantFrom(...PROSE), { minLength: 1, maxLength: 8 }),
      (some) => {
        const text = some.join(' ')
        if (redact(text) !== text) changed++
      },
    )
    fc.assert(property, { numRuns: runs })
    expect(changed).toBeLessThan(runs / 1_000)
  })
})
