// The grammar of one mailbox beside email-addresses, which reads all of RFC 5322.
import { createRequire } from 'node:module'
import { domainToASCII } from 'node:url'
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { addressOf, readMailbox } from '../../../src/reach/email/sending/mailbox.ts'

const require = createRequire(import.meta.url)
interface Parsed {
  readonly type: string
  readonly name: string | null
  readonly local: string
  readonly domain: string
}
const { parseOneAddress } = require('email-addresses') as {
  parseOneAddress(options: { input: string; rfc6532: boolean }): Parsed | null
}

describe('A mailbox', () => {
  it.each([
    ['bob@example.net', '', 'bob@example.net'],
    ['<bob@example.net>', '', 'bob@example.net'],
    ['Bob <bob@Example.NET>', 'Bob', 'bob@example.net'],
    ['  "Doe, Jane" <j.d+x@example.net>', 'Doe, Jane', 'j.d+x@example.net'],
    ['"a \\"b\\"" <a@example.net>', 'a "b"', 'a@example.net'],
    ['Zoë 👋 <zoe@bücher.example>', 'Zoë 👋', 'zoe@xn--bcher-kva.example'],
    ["o'brien_{x}@example.net", '', "o'brien_{x}@example.net"],
  ])('is read and rebuilt: %s', (text, name, address) => {
    const mailbox = readMailbox(text)
    expect(mailbox?.name).toBe(name)
    expect(mailbox && addressOf(mailbox)).toBe(address)
  })

  it('is the one that another parser finds, whatever the text is', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'b.c',
        '@',
        '<',
        '>',
        '"',
        ' ',
        ',',
        ';',
        ':',
        '(',
        ')',
        '\\',
        '\r\n',
        '\n',
        '.',
        '..',
        'x.example',
      ],
      ...['bob@example.net', 'Bob', '[127.0.0.1]', '=?utf-8?q?x?=', '\u202e', 'é', '-', '_', '%', '\u0000'],
    )
    let accepted = 0
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 7 }), (pieces) => {
        const text = pieces.join('')
        const mailbox = readMailbox(text)
        if (mailbox === undefined) return
        accepted += 1
        const parsed = parseOneAddress({ input: text.trim(), rfc6532: true })
        expect(parsed?.type).toBe('mailbox')
        expect(parsed?.local).toBe(mailbox.local)
        expect(domainToASCII(parsed?.domain ?? '')).toBe(mailbox.domain)
      }),
      { numRuns: 20_000 },
    )
    expect(accepted).toBeGreaterThan(100)
  })
})
