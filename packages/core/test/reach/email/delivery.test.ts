// Messages on their way: a real relay on loopback takes, puts off, refuses and vanishes.

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { EmailDomain } from '@svc/core/ports'
import { nothingLeft, type TestPlane, testPlane } from '@svc/testing'
import PostalMime from 'postal-mime'
import { counted } from '../../../../../test/support/counted.ts'
import { freePort } from '../../../../../test/support/free-port.ts'
import { verifiedDomain } from '../../../../../test/support/sending-domain.ts'
import { type LoopbackSmtp, loopbackSmtp, type Received } from '../../../../../test/support/smtp-server.ts'
import { SmtpRelay } from '../../../src/outside/smtp/mail-relay-smtp.ts'

const require = createRequire(import.meta.url)
interface Verdict {
  readonly status: { readonly result: string; readonly aligned: string | false }
}
const { dkimVerify } = require('mailauth/lib/dkim/verify') as {
  dkimVerify(raw: Buffer, options: object): Promise<{ results: readonly Verdict[] }>
}

const BODY = {
  from: 'Ann <ann@mail.example.com>',
  to: 'bob@example.net',
  subject: 'hello',
  text: 'Good morning.',
}
const HOUR = 3600
/** The system's own, which has the packages of the system. */
const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'
let relay: LoopbackSmtp
let faked: TestPlane
let owner: string
let domain: EmailDomain

beforeAll(async () => {
  relay = await loopbackSmtp()
})
afterAll(async () => {
  await faked[Symbol.asyncDispose]()
  await relay[Symbol.asyncDispose]()
})
const opened = async (env: Record<string, string> = {}) => {
  const own = {
    EMAIL_SMTP_URL: relay.url,
    EMAIL_SMTP_ALLOW_PLAINTEXT: 'true',
    EMAIL_RETURN_PATH_HOST: 'bounce.example.com',
  }
  faked = testPlane({ env: { ...own, ...env } })
  owner = (await faked.license()).id
  domain = await verifiedDomain(faked.plane, owner, 'mail.example.com')
}
beforeEach(async () => {
  relay.received.length = 0
  relay.recipients.clear()
  relay.message = undefined
  await opened()
})

afterEach(() => nothingLeft(faked))

const send = async (fields: object = {}) =>
  (await faked.plane.emails.sending.send({ owner, fields: { ...BODY, ...fields } })).id
const deliver = () => faked.plane.emails.deliver()
const later = async (seconds: number) => {
  faked.clock.advance({ seconds })
  await deliver()
}
const found = (id: string) => faked.plane.emails.find(id)
const states = async (id: string) => (await found(id)).recipients.map(({ state }) => state)
const only = (): Received => {
  const [message, ...others] = relay.received
  if (message === undefined || others.length > 0) throw new Error(`${relay.received.length} messages arrived`)
  return message
}
const verified = async (raw: Buffer): Promise<Verdict['status'] | undefined> => {
  const name = `${domain.key.selector}._domainkey.mail.example.com`
  const resolver = async (asked: string, type: string) => {
    if (asked === name && type === 'TXT') return [[`v=DKIM1; k=rsa; p=${domain.key.publicKey}`]]
    throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
  }
  return (await dkimVerify(raw, { resolver })).results[0]?.status
}

describe('A message that the relay takes', () => {
  it('is signed for the domain of its sender, as an independent verifier finds', async () => {
    const id = await send({
      to: ['Bob <bob@example.net>', 'eve@example.net'],
      cc: 'Zoë <zoe@example.net>',
      bcc: 'mallory@example.net',
      reply_to: 'help@mail.example.com',
      subject: 'grüße 👋',
      html: '<p>Good <b>morning</b>.</p>',
      headers: { 'X-Ticket': '42', 'List-Unsubscribe': '<https://mail.example.com/u>' },
      attachments: [
        {
          filename: 'rechnung ü.txt',
          content: Buffer.from('1 EUR').toString('base64'),
          content_type: 'text/plain',
        },
      ],
    })
    expect(await deliver()).toBe(1)
    const { from, to, raw } = only()
    expect({ from, to }).toEqual({
      from: `b+${id}@bounce.example.com`,
      to: ['bob@example.net', 'eve@example.net', 'zoe@example.net', 'mallory@example.net'],
    })
    expect(await verified(raw)).toMatchObject({ result: 'pass', aligned: 'mail.example.com' })
    const changed = Buffer.from(raw.toString('latin1').replace('Subject: ', 'Subject: x'), 'latin1')
    expect((await verified(changed))?.result).not.toBe('pass')
    expect(raw.toString('latin1')).not.toMatch(/mallory|^bcc:/im)
    const parsed = await PostalMime.parse(raw)
    expect(parsed).toMatchObject({
      from: { name: 'Ann', address: 'ann@mail.example.com' },
      to: [{ name: 'Bob', address: 'bob@example.net' }, { address: 'eve@example.net' }],
      cc: [{ name: 'Zoë', address: 'zoe@example.net' }],
      replyTo: [{ address: 'help@mail.example.com' }],
      subject: 'grüße 👋',
      messageId: `<${id}@mail.example.com>`,
      text: expect.stringContaining('Good morning.'),
      html: expect.stringContaining('<b>morning</b>'),
      attachments: [{ filename: 'rechnung ü.txt' }],
    })
    expect(parsed.headers).toEqual(
      expect.arrayContaining([expect.objectContaining({ key: 'x-ticket', value: '42' })]),
    )
    expect(await found(id)).toMatchObject({ state: 'sent', settledAt: faked.clock.now() })
    await later(48 * HOUR)
    expect(relay.received).toHaveLength(1)
    expect(await counted(faked.plane, 'svc_email_messages_total')).toEqual({ '{kind="api"}': 1 })
    expect(await counted(faked.plane, 'svc_email_recipients_total')).toEqual({ '{state="accepted"}': 4 })
    expect(await counted(faked.plane, 'svc_email_relay_faults_total')).toEqual({})
  })

  it('is signed as dkimpy verifies, where it is installed', async () => {
    await send({ html: '<p>hello</p>' })
    await deliver()
    const python = [
      '-c',
      'import dkim,sys,base64; r=base64.b64decode(sys.argv[1]); print(dkim.verify(sys.stdin.buffer.read(), dnsfunc=lambda n, timeout=5: r))',
    ]
    const record = Buffer.from(`v=DKIM1; k=rsa; p=${domain.key.publicKey}`).toString('base64')
    const run = (args: readonly string[], input: Buffer | string) =>
      execFileSync(PYTHON, args, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] }).trim()
    let isThere = true
    try {
      run(['-c', 'import dkim'], '')
    } catch {
      isThere = false
      process.stderr.write(
        'skipped: python3-dkim is not installed, so that only mailauth verified the signature\n',
      )
    }
    if (isThere) expect(run([...python, record], only().raw)).toBe('True')
  })

  it('leaves when it was asked for, and not before', async () => {
    const at = faked.clock.now().getTime() / 1000 + 2 * HOUR
    const id = await send({ send_at: at })
    await later(2 * HOUR - 1)
    expect(relay.received).toHaveLength(0)
    await later(1)
    expect((await found(id)).state).toBe('sent')
  })
})

describe('Recipients of one message', () => {
  it('fare each for themselves: one has it, one gets it later alone, one bounces and gets no more', async () => {
    relay.recipients.set('busy@example.net', [451, '4.3.0 try later'])
    relay.recipients.set('gone@example.net', [550, '5.1.1 no such user'])
    const id = await send({ to: ['bob@example.net', 'busy@example.net', 'gone@example.net'] })
    await deliver()
    expect(only().to).toEqual(['bob@example.net'])
    expect(await states(id)).toEqual(['accepted', 'deferred', 'bounced'])
    expect(await found(id)).toMatchObject({ state: 'queued', settledAt: undefined })
    expect((await found(id)).recipients[2]).toMatchObject({
      smtpCode: 550,
      smtpText: expect.stringContaining('5.1.1'),
    })
    relay.recipients.clear()
    await later(30)
    expect(relay.received).toHaveLength(1)
    await later(60)
    expect(relay.received.map(({ to }) => to)).toEqual([['bob@example.net'], ['busy@example.net']])
    expect(await found(id)).toMatchObject({ state: 'partial' })
    const again = faked.plane.emails.sending.send({ owner, fields: { ...BODY, to: 'gone@example.net' } })
    await expect(again).rejects.toMatchObject({ code: 'all-suppressed' })
    faked.clock.advance({ days: 30 })
    await send({ to: 'gone@example.net' })
  })

  it('that are refused for another reason are not suppressed', async () => {
    relay.recipients.set('bob@example.net', [554, '5.7.1 policy'])
    const id = await send()
    await deliver()
    expect(await found(id)).toMatchObject({ state: 'failed' })
    expect(await states(id)).toEqual(['bounced'])
    await send()
  })

  it('are given up after the last retry', async () => {
    relay.recipients.set('bob@example.net', [451, '4.3.0 try later'])
    const id = await send()
    const connections = relay.seen.connections
    await deliver()
    for (let hour = 0; hour < 60; hour += 1) await later(HOUR)
    expect(await found(id)).toMatchObject({ state: 'failed' })
    expect(await states(id)).toEqual(['failed'])
    // Ten attempts, less those whose delays an hour's step has skipped together.
    expect(relay.seen.connections - connections).toBe(10)
  })
})

describe('A message that is refused as a whole', () => {
  it('has failed, and nobody is suppressed', async () => {
    relay.message = [554, '5.6.0 spam']
    const id = await send()
    await deliver()
    expect(await found(id)).toMatchObject({ state: 'failed' })
    expect(await states(id)).toEqual(['failed'])
    relay.message = undefined
    await later(48 * HOUR)
    expect(relay.received).toHaveLength(0)
    await faked.plane.emails.retry(id)
    await deliver()
    expect((await found(id)).state).toBe('sent')
  })

  it('is tried again when the relay asked for that', async () => {
    relay.message = [451, '4.3.0 later']
    const id = await send()
    await deliver()
    expect(await states(id)).toEqual(['deferred'])
    relay.message = undefined
    await later(90)
    expect((await found(id)).state).toBe('sent')
  })
})

describe('A relay', () => {
  it('that is down costs no attempt: messages wait, and leave when it is back', async () => {
    await relay.stop()
    const ids = [await send(), await send()]
    for (let minutes = 0; minutes < 600; minutes += 10) await later(600)
    expect(await faked.plane.emails.isRelayDown()).toBe(true)
    const faults = await counted(faked.plane, 'svc_email_relay_faults_total')
    expect(Object.keys(faults)).toEqual([expect.stringMatching(/^\{fault="\w+"\}$/)])
    for (const id of ids) expect(await found(id)).toMatchObject({ state: 'queued' })
    await relay.start()
    await later(1000)
    await later(1000)
    for (const id of ids) expect((await found(id)).state).toBe('sent')
    expect(await faked.plane.emails.isRelayDown()).toBe(false)
    expect(relay.received).toHaveLength(2)
  })

  it('without TLS gets neither a password nor a message', async () => {
    await faked[Symbol.asyncDispose]()
    await opened({
      EMAIL_SMTP_URL: relay.url.replace('//', '//user:hunter2hunter2@'),
      EMAIL_SMTP_ALLOW_PLAINTEXT: 'false',
    })
    const id = await send()
    await deliver()
    expect(await found(id)).toMatchObject({ state: 'queued' })
    expect(relay.received).toHaveLength(0)
    expect(await faked.plane.emails.checkRelay()).toMatchObject({ ok: false, fault: 'tls' })
    expect(faked.log.text()).not.toContain('hunter2')
  })

  it('that does not know the password is a fault of the relay, and no bounce', async () => {
    await using strict = await loopbackSmtp({
      disabledCommands: ['STARTTLS'],
      authOptional: false,
      onAuth: ({ password }, _session, callback) =>
        callback(
          password === 'right' ? null : new Error('no'),
          password === 'right' ? { user: 'svc' } : undefined,
        ),
    })
    for (const [password, state] of [
      ['wrong', 'queued'],
      ['right', 'sent'],
    ] as const) {
      await opened({ EMAIL_SMTP_URL: `smtp://svc:${password}@127.0.0.1:${strict.port}` })
      const id = await send()
      await deliver()
      expect(await found(id)).toMatchObject({ state })
      expect(await faked.plane.emails.checkRelay()).toMatchObject({ ok: state === 'sent' })
    }
  })

  it('is not blamed for a transaction that begins when the service ends', async () => {
    const { connections } = relay.seen
    const own = new SmtpRelay({ url: relay.url, plaintext: true })
    const envelope = { from: 'ann@mail.example.com', to: ['bob@example.net'] }
    const [bytes, signal] = [Buffer.from('Good morning.'), AbortSignal.abort()]
    const result = await own.send({ envelope, bytes, signal, started: async () => {} })
    expect(result).toMatchObject({ status: 'fault', fault: 'cancelled' })
    expect(relay.seen.connections).toBe(connections)
  })

  it('that is not there fails a check', async () => {
    await opened({ EMAIL_SMTP_URL: `smtp://127.0.0.1:${await freePort()}` })
    expect(await faked.plane.emails.checkRelay()).toMatchObject({ ok: false, fault: 'connect' })
  })
})

describe('A message of which nobody knows whether it arrived', () => {
  it('is sent once more under the same id, and then left', async () => {
    relay.message = 'vanishes'
    const id = await send()
    await deliver()
    expect(await states(id)).toEqual(['unknown'])
    await later(120)
    expect(relay.received).toHaveLength(2)
    const ids = await Promise.all(
      relay.received.map(async ({ raw }) => (await PostalMime.parse(raw)).messageId),
    )
    expect(ids).toEqual([`<${id}@mail.example.com>`, `<${id}@mail.example.com>`])
    await later(48 * HOUR)
    expect(relay.received).toHaveLength(2)
    expect(await found(id)).toMatchObject({ state: 'failed' })
    expect(await states(id)).toEqual(['unknown'])
  })

  it('is left to an operator at once, if the settings say so', async () => {
    await opened({ EMAIL_UNKNOWN_POLICY: 'hold' })
    relay.message = 'vanishes'
    const id = await send()
    await deliver()
    await later(48 * HOUR)
    expect(relay.received).toHaveLength(1)
    expect(await found(id)).toMatchObject({ state: 'failed' })
    relay.message = undefined
    await faked.plane.emails.retry(id)
    await deliver()
    expect((await found(id)).state).toBe('sent')
  })

  it('is one whose process died while its bytes left', async () => {
    const id = await send()
    await faked.storage.emailMessages.begin(id)
    await faked.storage.emailMessages.dataStarted(id, faked.clock.now())
    await deliver()
    expect(relay.received).toHaveLength(0)
    expect(await states(id)).toEqual(['unknown'])
    await later(120)
    expect(await found(id)).toMatchObject({ state: 'sent', unknowns: 1 })
  })
})

describe('A message that waits', () => {
  it.each([
    ['its license was revoked', () => faked.plane.licenses.revoke(owner)],
    ['its domain was removed', () => faked.plane.emailDomains.remove(domain.id)],
  ])('is cancelled when %s', async (_title, end) => {
    const id = await send()
    const { connections } = relay.seen
    await end()
    await deliver()
    expect(await found(id)).toMatchObject({ state: 'cancelled' })
    expect(relay.seen.connections).toBe(connections)
  })

  it('is cancelled by an operator, for those who have not got it', async () => {
    relay.recipients.set('busy@example.net', [451, '4.3.0 try later'])
    const id = await send({ to: ['bob@example.net', 'busy@example.net'] })
    const other = await send()
    await faked.plane.emails.cancel(other)
    await deliver()
    await faked.plane.emails.cancel(id)
    expect(await states(id)).toEqual(['accepted', 'cancelled'])
    await later(48 * HOUR)
    expect(relay.received).toHaveLength(1)
    await expect(faked.plane.emails.cancel(id)).rejects.toMatchObject({ code: 'conflict' })
  })

  it('has contents that lie sealed, and go a week after it is over; the rest goes after 90 days', async () => {
    const id = await send({ text: 'a word that nobody else writes: xylophagous' })
    const body = await faked.storage.emailMessages.body(id)
    expect(JSON.stringify(body)).not.toContain('xylophagous')
    await deliver()
    faked.clock.advance({ days: 7 })
    await faked.plane.emails.purge()
    expect(await faked.storage.emailMessages.body(id)).toBeDefined()
    faked.clock.advance({ hours: 1 })
    await faked.plane.emails.purge()
    expect(await faked.storage.emailMessages.body(id)).toBeUndefined()
    await expect(faked.plane.emails.retry(id)).rejects.toMatchObject({ code: 'conflict' })
    faked.clock.advance({ days: 84 })
    expect(await faked.plane.emails.purge()).toBe(1)
  })

  it('stays readable when the keys of the service change', async () => {
    const id = await send()
    await faked.plane.secrets.rotate()
    await deliver()
    expect((await found(id)).state).toBe('sent')
  })
})
