import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { redact } from '../../../../src/kernel/redaction/redactor.ts'
import { AnswerFilter } from '../../../../src/reach/chat/answer/answer-filter.ts'
import { LinkFilter, REMOVED_ADDRESS } from '../../../../src/reach/chat/answer/link-filter.ts'
import { MarkupFilter } from '../../../../src/reach/chat/answer/markup-filter.ts'
import { SecretFilter } from '../../../../src/reach/chat/answer/secret-filter.ts'
import { PROSE } from '../../../kernel/redaction/prose.ts'
import { SAMPLES } from '../../../kernel/redaction/samples.ts'
import { partsOf, shown } from './cut-up.ts'

const HOSTS: ReadonlySet<string> = new Set(['svc.example', 'www.svc.example', 'docs.svc.example:8443'])
const answer = () => new AnswerFilter(HOSTS)
const filtered = (text: string, lengths: readonly number[] = [7]) =>
  shown(answer(), partsOf(text, lengths)).join('')

const cuts = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 })
const pieces = fc.constantFrom(
  ...[
    '<',
    '>',
    '!',
    '[',
    ']',
    '(',
    ')',
    ':',
    '/',
    '\\',
    '&',
    '#',
    '"',
    '`',
    '*',
    '\n',
    ' ',
    ' ',
    '-',
    '=',
    '@',
    '.',
  ],
  ...[
    'script',
    'img src=x onerror=alert(1)',
    'a href=',
    'b',
    'http://',
    'https://evil.test/x?',
    'evil.test',
    'www.',
  ],
  ...[
    'javascript:alert(1)',
    'data:text/html,x',
    '//evil.com',
    '/docs/agents',
    '#install',
    'https://svc.example/a',
  ],
  ...[
    '&#106;',
    '&colon;',
    '](',
    ']:',
    '![',
    '<!--',
    '-->',
    '\u202e',
    '\u0000',
    '\t',
    'text',
    'é',
    '😀',
    '4111 1111',
  ],
)
const hostile = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(''))
const said = fc.oneof(hostile, fc.constantFrom(...PROSE), fc.constantFrom(...SAMPLES.map(({ text }) => text)))
const texts = fc.array(said, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('\n'))

describe('what comes out does not depend on how the text is cut', () => {
  const FILTERS = { answer, links: () => new LinkFilter(HOSTS), markup: () => new MarkupFilter() }
  it.each(Object.entries(FILTERS))('of the %s filter', (_name, filter) => {
    fc.assert(
      fc.property(texts, cuts, (text, lengths) => {
        const whole = shown(filter(), [text]).join('')
        expect(shown(filter(), partsOf(text, lengths)).join('')).toBe(whole)
      }),
      { numRuns: 600 },
    )
  })

  it('of the secret filter, which redacts as the redactor does', () => {
    fc.assert(
      fc.property(texts, cuts, (text, lengths) => {
        expect(shown(new SecretFilter(), partsOf(text, lengths)).join('')).toBe(redact(text))
      }),
      { numRuns: 600 },
    )
  })
})

describe('secrets', () => {
  it.each([1, 2, 3, 5, 17])('none is shown at any moment, however it is split: parts of %i', (length) => {
    for (const { text, secret } of SAMPLES) {
      let seen = ''
      for (const part of shown(answer(), partsOf(`Well:\n${text}\nThat is all.`, [length]))) {
        seen += part
        expect(seen).not.toContain(secret)
      }
      expect(seen).toContain('That is all.')
    }
  })

  it('a secret that ends the text is caught too', () => {
    for (const { text, secret } of SAMPLES) expect(filtered(text, [4])).not.toContain(secret)
  })

  it('the lines of a private key wait for its end', () => {
    const body = Array.from({ length: 12 }, (_, at) => `line${at}`.padEnd(64, 'A')).join('\n')
    const key = `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n${body}\n-----END RSA PRIVATE KEY-----\n`
    const parts = shown(answer(), partsOf(`Here it is.\n${key}Done with it.`, [9]))
    expect(parts.join('')).toBe('Here it is.\n[redacted:private-key]\nDone with it.')
  })
})

describe('markup', () => {
  it('no tag, image or foreign address is left of anything', () => {
    fc.assert(
      fc.property(hostile, cuts, (text, lengths) => {
        const out = filtered(text, lengths)
        expect(out).not.toMatch(/<[A-Za-z!/?]/)
        expect(out).not.toMatch(/!\[/)
        expect(out).not.toMatch(/\]:/)
        for (const [, target = ''] of out.matchAll(/\]\(([^)]*)/g)) {
          expect(target).toMatch(/^(?:\/(?!\/)|#|https:\/\/svc\.example\/)[A-Za-z0-9/#?=&_.~%:+,-]*$/)
        }
        for (const [address] of out.matchAll(/[a-z]+:\/\/[^\s<>"'()[\]]*/gi)) {
          const { hostname: host } = new URL(address.replace(/[.,;:!?*_~`]+$/, ''))
          expect(host).toMatch(/(?:^|\.)(?:example|test)$/)
          expect(address).not.toMatch(/@|\\/)
        }
      }),
      { numRuns: 3000 },
    )
  })

  it.each([
    ['<script>alert(1)</script>x', 'alert(1)x'],
    ['<<b>script>x', 'script>x'],
    ['<scr<b>ipt>x', 'ipt>x'],
    ['a < b and c <= d', 'a < b and c <= d'],
    ['1 <2', '1 <2'],
    ['<!-- hidden --> seen', ' seen'],
    ['an open <img src=x', 'an open img src=x'],
    ['![pixel](https://evil.invalid.com/p.png?q=1)', '[pixel]'],
    ['!!![pixel](/p.png)', '[pixel](/p.png)'],
    ['[here](https://svc.example/docs#a)', '[here](https://svc.example/docs#a)'],
    ['[here](https://docs.svc.example:8443/x)', '[here](https://docs.svc.example:8443/x)'],
    ['[here](/docs/agents#install)', '[here](/docs/agents#install)'],
    ['[here](#install)', '[here](#install)'],
    ['[here](https://www.svc.example/x)', '[here](https://www.svc.example/x)'],
    ['[here](/go?to=https://evil.com)', '[here]'],
    ['[here](/go/www.evil.com)', '[here]'],
    ['[here](//evil.com/x)', '[here]'],
    ['[here](/\\evil.com)', '[here]'],
    ['[here](/&#47;evil.com)', '[here]'],
    ['[here](javascript:alert(1))', '[here])'],
    ['[here](<https://evil.com>)', '[here]'],
    ['[here](https://svc.example@evil.com/)', '[here]'],
    ['[here](https://evil.com "https://svc.example/")', '[here]'],
    ['[here](/docs\n"title")', '[here]'],
    ['[here][ref]\n\n[ref]: https://evil.com/x', `[here][ref]\n\n[ref] : ${REMOVED_ADDRESS}`],
    ['See https://evil.com/a?b=c.', `See ${REMOVED_ADDRESS}.`],
    ['See www.evil.com, or HTTPS://EVIL.com', `See ${REMOVED_ADDRESS}, or ${REMOVED_ADDRESS}`],
    [
      'curl http://127.0.0.1:8080/healthz and http://localhost:80.',
      'curl http://127.0.0.1:8080/healthz and http://localhost:80.',
    ],
    ['svc fleet servers --url https://svc.example', 'svc fleet servers --url https://svc.example'],
    ['ftp://evil.com', REMOVED_ADDRESS],
    ['https://svc.example@evil.com', REMOVED_ADDRESS],
    ['[x]()(/\\evil.com)', '[x] (/\\evil.com)'],
    ['[x](no):(no)', '[x] :(no)'],
    ['[open](/docs and no end', '[open] (/docs and no end'],
  ])('%j reads %j', (text, expected) => {
    expect(filtered(text, [1])).toBe(expected)
    expect(filtered(text, [1000])).toBe(expected)
  })

  it('what steers a terminal or turns the direction of writing is gone', () => {
    expect(filtered('a\u001b[31mb\u0007\u202ec\u2066d\r\n\te')).toBe('abcd\n\te')
  })

  it('a sign that begins nothing costs no time and no text', () => {
    const text = '<a'.repeat(4000)
    expect(filtered(text, [400])).toBe('a'.repeat(4000))
    expect(filtered(`${'[x]('.repeat(2000)} `, [100])).not.toContain('](')
  })
})

describe('pace', () => {
  it('words are shown as soon as they are whole', () => {
    const parts = ['Download ', 'the age', 'nt to ', 'the host', '.']
    expect(shown(answer(), parts)).toEqual(
      ['Download ', 'the ', 'agent to ', 'the ', 'host', '.'].slice(0, 4).concat(['', 'host.']),
    )
  })

  it('from a hint at a secret on, the line waits for its end', () => {
    const parts = shown(answer(), ['Keep the password ', 'safe. ', 'Then\n', 'go on. '])
    expect(parts).toEqual(['Keep the ', '', 'password safe. Then\n', 'go on. ', ''])
  })
})
