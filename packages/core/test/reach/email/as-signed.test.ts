// Signatures of messages hold on arrival, behind a relay that cuts lines as Postfix does.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { type LoopbackSmtp, loopbackSmtp } from '../../../../../test/support/smtp-server.ts'
import { SmtpRelay } from '../../../src/outside/smtp/mail-relay-smtp.ts'
import { newDkimPair } from '../../../src/reach/email/domains/dkim-key.ts'
import { readDraft, type SendFields } from '../../../src/reach/email/sending/message-draft.ts'
import { contentsOf } from '../../../src/reach/email/sending/sealed-body.ts'
import { compose } from '../../../src/reach/email/smtp/compose.ts'

const require = createRequire(import.meta.url)
const { dkimVerify } = require('mailauth/lib/dkim/verify') as {
  dkimVerify(
    raw: Buffer,
    options: object,
  ): Promise<{
    results: readonly { status: { result: string }; signingHeaders?: { keys: string } }[]
  }>
}
const NOW = new Date('2026-01-05T09:00:00Z')
const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'
const DKIMPY = `
import base64, json, sys, dkim
given = json.load(sys.stdin)
print(json.dumps([dkim.verify(base64.b64decode(raw), dnsfunc=lambda n, timeout=5: given['record'].encode())
  for raw in given['messages']]))`
/** The octets of a line after which Postfix begins another one (smtp_line_length_limit). */
const LIMIT = 998

let relay: LoopbackSmtp
let pair: Awaited<ReturnType<typeof newDkimPair>>
beforeAll(async () => {
  relay = await loopbackSmtp()
  pair = await newDkimPair()
})
afterAll(async () => {
  await relay[Symbol.asyncDispose]()
})

const record = () => `v=DKIM1; k=rsa; p=${pair.publicKey}`
const BODY = { from: 'Ann <ann@mail.example.com>', to: 'bob@example.net', subject: 'hello' }

/** Cuts long lines as the SMTP client of Postfix does. */
function cutAsPostfix(raw: Buffer): Buffer {
  const cut = raw
    .toString('latin1')
    .split('\r\n')
    .map((line) => line.match(new RegExp(`[^]{1,${LIMIT}}`, 'g'))?.join('\r\n ') ?? '')
  return Buffer.from(cut.join('\r\n'), 'latin1')
}

async function arrives(fields: Partial<SendFields>): Promise<Buffer> {
  const draft = readDraft({ ...BODY, ...fields }, NOW)
  const signature = { domain: 'mail.example.com', selector: 's1', privateKey: pair.privateKey }
  const bytes = await compose({ messageId: 'em_1', date: NOW, contents: contentsOf(draft), signature })
  const envelope = { from: 'ann@mail.example.com', to: ['bob@example.net'] }
  relay.received.length = 0
  const own = new SmtpRelay({ url: relay.url, plaintext: true })
  const result = await own.send({ envelope, bytes, signal: undefined, started: async () => {} })
  expect(result.status).toBe('answered')
  const [message] = relay.received
  if (message === undefined) throw new Error('nothing arrived')
  const raw = cutAsPostfix(message.raw)
  arrived.push(raw)
  return raw
}

const verdictOf = async (raw: Buffer) => {
  const resolver = async () => [[record()]]
  const [result] = (await dkimVerify(raw, { resolver })).results
  return { result: result?.status.result, signed: result?.signingHeaders?.keys.toLowerCase() ?? '' }
}

/** Every message that arrived, for the second verifier, which is started once. */
const arrived: Buffer[] = []

/** The judgement of dkimpy on each; undefined if Python lacks it. */
const dkimpy = (): readonly boolean[] | undefined => {
  const messages = arrived.map((raw) => raw.toString('base64'))
  const input = JSON.stringify({ record: record(), messages })
  try {
    const out = execFileSync(PYTHON, ['-c', DKIMPY], { input, stdio: ['pipe', 'pipe', 'ignore'] })
    return JSON.parse(out.toString('utf8')) as boolean[]
  } catch {
    process.stderr.write('skipped: python3-dkim is not installed, so that mailauth judged alone\n')
    return undefined
  }
}

const base64 = (text: string) => Buffer.from(text).toString('base64')
const LONG = 'x'.repeat(1500)
const CASES: readonly (readonly [string, Partial<SendFields>])[] = [
  ['a text with bare carriage returns', { text: 'one\rtwo\r\r\nthree' }],
  ['a text with bare line feeds', { text: 'one\ntwo\n\nthree\n' }],
  ['a text of line ends', { text: '\r\n\r\r\n\n' }],
  ['an html with bare carriage returns', { html: '<p>one</p>\r<p>two</p>' }],
  ['both, and dots', { text: '.\r..\r\n.', html: '.\r<b>.</b>' }],
  ['a text with a line of 1500 characters', { text: LONG }],
  ['a subject of one word of 997 characters', { text: 'a', subject: 'x'.repeat(997) }],
  ['a header of one word of 997 characters', { text: 'a', headers: { 'X-T': 'x'.repeat(997) } }],
  [
    'references of 998 characters',
    { text: 'a', headers: { References: `${'<a@b.example> '.repeat(71)}<a>`.slice(0, 998) } },
  ],
  [
    'a forwarded mail',
    {
      text: 'a',
      attachments: [
        {
          filename: 'm.eml',
          content: base64(`Subject: ${LONG}\r\n\r\na\rb`),
          content_type: 'message/rfc822',
        },
      ],
    },
  ],
  [
    'a part of parts',
    {
      text: 'a',
      attachments: [
        { filename: 'm.bin', content: base64(`--b\r\n\r\n${LONG}\r--b--`), content_type: 'multipart/mixed' },
      ],
    },
  ],
  [
    'a text file with carriage returns',
    {
      text: 'a',
      attachments: [{ filename: 'm.csv', content: base64(`a\rb\r${LONG}`), content_type: 'text/csv' }],
    },
  ],
]

describe('A signed message', () => {
  it.each(CASES)('arrives as it was signed: %s', async (_title, fields) => {
    const raw = await arrives(fields)
    expect(raw.toString('latin1')).not.toMatch(/\r(?!\n)|(?<!\r)\n/)
    expect((await verdictOf(raw)).result).toBe('pass')
  })

  it('has a signature over each of its headers that means something to receivers', async () => {
    const headers = {
      'List-Unsubscribe': '<https://mail.example.com/u>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
      'In-Reply-To': '<a@b.example>',
      References: '<a@b.example>',
      Precedence: 'bulk',
    }
    const raw = await arrives({
      text: 'a',
      headers,
      cc: 'eve@example.net',
      reply_to: 'help@mail.example.com',
    })
    const { result, signed } = await verdictOf(raw)
    expect(result).toBe('pass')
    const named = signed.split(/\s*:\s*/)
    const usual = [
      'from',
      'to',
      'cc',
      'reply-to',
      'subject',
      'date',
      'message-id',
      'mime-version',
      'content-type',
    ]
    expect(named).toEqual(
      expect.arrayContaining([...usual, ...Object.keys(headers).map((name) => name.toLowerCase())]),
    )
  })

  it.each([
    ['subject: expected no word longer than 997 characters', { text: 'a', subject: 'x'.repeat(998) }],
    [
      'headers: expected no word longer than 997 characters',
      { text: 'a', headers: { 'X-T': 'x'.repeat(998) } },
    ],
  ])('is refused with a word that no line holds: %s', (detail, fields) => {
    expect(() => readDraft({ ...BODY, ...fields }, NOW)).toThrow(
      expect.objectContaining({ code: 'invalid-input', data: { details: [detail] } }),
    )
  })

  it('arrives as it was signed, whatever is in it', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '\r',
        '\n',
        '\r\n',
        ' ',
        '\t',
        '.',
        '..',
        'From ',
        '=',
        '=20',
        'é',
        '👋',
        '\u00a0',
        '\u2028',
        '\u0000',
        '--',
      ),
      fc.string({ maxLength: 12 }),
      fc.nat(1200).map((count) => 'x'.repeat(count)),
    )
    const words = fc.array(piece, { minLength: 1, maxLength: 12 }).map((all) => all.join(''))
    const line = words
      .map((text) => text.replace(/\p{Cc}|[\u2028\u2029]/gu, '').slice(0, 998))
      .filter((text) => text.trim() !== '' && !/\S{998}/.test(text))
    const attachment = fc.record({
      filename: fc.constantFrom('a.txt', 'grüße.eml', `${'n'.repeat(240)}.bin`),
      content: words.map(base64),
      content_type: fc.constantFrom(
        'text/plain',
        'message/rfc822',
        'message/partial',
        'multipart/mixed',
        'image/png',
      ),
    })
    const drafts = fc.record(
      {
        subject: line,
        text: words,
        html: words,
        headers: fc.record({ 'X-A': line, 'List-Unsubscribe': line }, { requiredKeys: [] }),
        attachments: fc.array(attachment, { maxLength: 2 }),
      },
      { requiredKeys: ['text'] },
    )
    await fc.assert(
      fc.asyncProperty(drafts, async (fields) => {
        const raw = await arrives(fields as Partial<SendFields>)
        expect((await verdictOf(raw)).result).toBe('pass')
      }),
      { numRuns: 24 },
    )
  })

  it('is verified by a second verifier too, as often as the first was asked', () => {
    const judged = dkimpy()
    if (judged) expect(judged).toEqual(arrived.map(() => true))
  })
})
