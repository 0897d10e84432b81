// Replies of a relay, and the outcomes for the message, its recipients and the messages behind it.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { nothingLeft, type TestPlane, testPlane } from '@svc/testing'
import { type ScriptedSmtp, scriptedSmtp } from '../../../../../test/support/scripted-smtp.ts'
import { verifiedDomain } from '../../../../../test/support/sending-domain.ts'
import { isPutOff, saysNoMailbox } from '../../../src/reach/email/smtp/smtp-reply.ts'

const BODY = { from: 'ann@mail.example.com', subject: 'hello', text: 'Good morning.' }
const HOUR = 3600
let relay: ScriptedSmtp
let faked: TestPlane
let owner: string

beforeAll(async () => {
  relay = await scriptedSmtp()
})
afterAll(async () => {
  await faked?.[Symbol.asyncDispose]()
  await relay[Symbol.asyncDispose]()
})
afterEach(() => nothingLeft(faked))
beforeEach(async () => {
  await faked?.[Symbol.asyncDispose]()
  relay.script = []
  relay.messages.length = 0
  relay.sessions.length = 0
  faked = testPlane({ env: { EMAIL_SMTP_URL: relay.url, EMAIL_SMTP_ALLOW_PLAINTEXT: 'true' } })
  owner = (await faked.license()).id
  await verifiedDomain(faked.plane, owner, 'mail.example.com')
})

const send = async (...to: string[]) =>
  (
    await faked.plane.emails.sending.send({
      owner,
      fields: { ...BODY, to: to.map((name) => `${name}@example.net`) },
    })
  ).id
const deliver = () => faked.plane.emails.deliver()
const later = async (seconds: number) => {
  faked.clock.advance({ seconds })
  await deliver()
}
const found = (id: string) => faked.plane.emails.find(id)
const fates = async (id: string) =>
  (await found(id)).recipients.map(({ state, smtpText }) => [state, smtpText ?? ''] as const)
const CLOSING = { say: '421 4.7.0 too many errors from your host, closing', ends: true } as const
const SAID = '421 4.7.0 too many errors from your host, closing'
const EHLOS = [
  ['one command at a time', '250 scripted'],
  ['commands that come together', '250-scripted\r\n250 PIPELINING'],
] as const

describe.each(EHLOS)('A reply with which the relay ends the connection, with %s', (_title, ehlo) => {
  it.each(['MAIL', 'RCPT', 'DATA', '.'])('puts the message off, after %s', async (command) => {
    relay.script = [
      ['EHLO', ehlo],
      [command, CLOSING],
    ]
    const id = await send('bob')
    await deliver()
    expect(await fates(id)).toEqual([['deferred', SAID]])
    expect(await faked.plane.emails.isRelayDown()).toBe(false)
    for (let hour = 0; hour < 60; hour += 1) await later(HOUR)
    expect(await fates(id)).toEqual([['failed', SAID]])
    expect(relay.sessions).toHaveLength(10)
    expect((await found(id)).state).toBe('failed')
  })

  it('concerns one recipient: who was asked before and after gets the message without it', async () => {
    relay.script = [
      ['EHLO', ehlo],
      ['RCPT TO:<poison', CLOSING],
    ]
    const id = await send('bob', 'poison', 'eve')
    await deliver()
    expect(await fates(id)).toEqual([
      ['deferred', `the relay ended the connection: ${SAID}`],
      ['deferred', SAID],
      ['deferred', `the relay ended the connection: ${SAID}`],
    ])
    await later(90)
    expect((await fates(id)).map(([state]) => state)).toEqual(['accepted', 'deferred', 'accepted'])
    for (let hour = 0; hour < 60; hour += 1) await later(HOUR)
    expect(await found(id)).toMatchObject({ state: 'partial' })
    expect(relay.messages).toHaveLength(1)
  })

  it('does not unsay a refusal that came before it', async () => {
    relay.script = [
      ['EHLO', ehlo],
      ['RCPT TO:<gone', '550 5.1.1 no such user'],
      ['RCPT TO:<poison', CLOSING],
    ]
    const id = await send('gone', 'poison')
    await deliver()
    expect((await fates(id)).map(([state]) => state)).toEqual(['bounced', 'deferred'])
  })

  it('holds back no other message', async () => {
    relay.script = [
      ['EHLO', ehlo],
      ['RCPT TO:<poison', CLOSING],
    ]
    await send('poison')
    await deliver()
    for (let more = 0; more < 4; more += 1) {
      const id = await send('bob')
      await later(60)
      expect((await found(id)).state).toBe('sent')
    }
  })
})

describe('A refusal of a recipient', () => {
  it.each([
    ['.', '554 5.6.0 spam', 'failed'],
    ['.', '451 4.3.0 later', 'deferred'],
    ['DATA', '451 4.3.0 later', 'deferred'],
    ['.', { say: '', ends: true } as const, 'unknown'],
  ])('stays one when the message then gets another answer: %s %j', async (command, said, state) => {
    relay.script = [
      ['RCPT TO:<gone', '550 5.1.1 no such user'],
      [command, said],
    ]
    const id = await send('bob', 'gone')
    await deliver()
    expect((await fates(id)).map(([each]) => each)).toEqual([state, 'bounced'])
    await expect(send('gone')).rejects.toMatchObject({ code: 'all-suppressed' })
  })

  it('counts when the relay hangs up behind it', async () => {
    relay.script = [['RCPT TO:<gone', { say: '550 5.1.1 no such user', ends: true }]]
    const id = await send('gone', 'bob')
    await deliver()
    expect((await fates(id)).map(([state]) => state)).toEqual(['bounced', 'deferred'])
  })
})

describe('The breaker of the relay', () => {
  it.each([
    ['hangs up before it greets', '', { say: '', ends: true }],
    ['greets with 421', '', CLOSING],
    ['is busy at EHLO', 'EHLO', CLOSING],
  ] as const)('opens when the relay %s, which costs no attempt', async (_title, command, said) => {
    relay.script = [[command, said]]
    const id = await send('bob')
    await deliver()
    expect(await faked.plane.emails.isRelayDown()).toBe(true)
    for (let hour = 0; hour < 60; hour += 1) await later(HOUR)
    expect(await fates(id)).toEqual([['queued', '']])
    relay.script = []
    await later(HOUR)
    expect((await found(id)).state).toBe('sent')
  })

  it('stays closed when the relay hangs up without a word at one message', async () => {
    relay.script = [['RCPT TO:<poison', { say: '', ends: true }]]
    const poison = await send('poison')
    await deliver()
    expect(await faked.plane.emails.isRelayDown()).toBe(false)
    expect(await fates(poison)).toEqual([['deferred', expect.stringContaining('the relay said nothing')]])
    const id = await send('bob')
    await deliver()
    expect((await found(id)).state).toBe('sent')
  })

  it('closes when the relay answers, also if it refuses', async () => {
    relay.script = [['', CLOSING]]
    await send('gone')
    await deliver()
    relay.script = [['RCPT TO:<gone', '550 5.1.1 no such user']]
    await later(90)
    expect(await faked.plane.emails.isRelayDown()).toBe(false)
  })

  it('is probed by one message after another', async () => {
    relay.script = [['', CLOSING]]
    const ids = [await send('bob'), await send('eve'), await send('zoe')]
    await deliver()
    const { begin } = faked.storage.emailMessages
    const probed: string[] = []
    faked.storage.emailMessages.begin = (id) => {
      probed.push(id)
      return begin(id)
    }
    for (let probe = 0; probe < 6; probe += 1) await later(1200)
    expect(probed).toHaveLength(6)
    expect(new Set(probed.slice(0, 3))).toEqual(new Set(ids))
    expect(probed.slice(3)).toEqual(probed.slice(0, 3))
    relay.script = []
    await later(1200)
    for (const id of ids) expect((await found(id)).state).toBe('sent')
  })
})

const REPLIES: readonly (readonly [reply: string, isNoMailbox: boolean])[] = [
  ['550 5.1.1 <x@y.example>: Recipient address rejected: User unknown in virtual mailbox table', true],
  ['550-5.1.1 The email account that you tried to reach does not exist. 550 5.1.1 Learn more', true],
  ['550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient x@y.example not found by SMTP address lookup', true],
  ['511 5.1.1 unknown address or alias: x@y.example', true],
  ['550 #5.1.0 Address rejected: user unknown', true],
  ['550 5.0.0 Mailbox not found', true],
  ['550 No such user here', true],
  ['550 unknown user', true],
  ['553 mailbox x@y.example does not exist', true],
  ['550 #5.1.0 Address rejected.', false],
  ['550 5.7.1 Client host [185.5.1.1] blocked using zen.spamhaus.org', false],
  ['550 5.7.1 [5.1.10.23] is on our list: recipient unknown', false],
  ['550 Client host [185.5.1.1] blocked', false],
  ['554 5.7.1 recipient domain not found in relay list', false],
  ['554 recipient domain not found in relay list', false],
  ['550-5.7.26 This mail has been blocked because the sender is unauthenticated', false],
  ['550 5.7.1 Unauthenticated email from example.com is not accepted due to DMARC policy', false],
  ['552 5.2.2 The email account that you tried to reach is over quota', false],
  ['550 5.2.1 The email account that you tried to reach is disabled', false],
  ['550 5.4.1 Recipient address rejected: Access denied', false],
  ['550 Requested action not taken: mailbox unavailable', false],
  ['550 5.1.8 <ann@y.example>: Sender address rejected: Domain not found', false],
  ['550-Called: 192.0.2.7 550-Sent: RCPT TO:<ann@y.example> 550-Response: 550 No such user', false],
  ['554 5.7.9 Message not accepted for policy reasons: no such user policy', false],
  ['550 5.1.11.1 numbers', false],
]

describe('The words of a refusal', () => {
  it.each(REPLIES)('%s: no such mailbox is %s', (text, isNoMailbox) => {
    expect(saysNoMailbox({ text })).toBe(isNoMailbox)
  })

  it.each([
    [452, '452 4.5.3 Too many recipients', true],
    [552, '552 5.5.3 Too many recipients', true],
    [552, '552 Too many recipients', true],
    [550, '550 5.5.3 Too many recipients', true],
    [552, '552 5.2.2 Mailbox full', false],
    [550, '550 5.5.0 Requested action not taken', false],
    [550, '550 5.1.1 no such user', false],
  ])('%d, %s: is offered again is %s', (code, text, isOfferedAgain) => {
    expect(isPutOff({ code, text })).toBe(isOfferedAgain)
  })

  it('about a number of recipients put the rest off to the next attempt', async () => {
    relay.script = [
      ['RCPT TO:<c', '552 5.5.3 Too many recipients'],
      ['RCPT TO:<d', '452 4.5.3 Too many'],
    ]
    const id = await send('a', 'b', 'c', 'd')
    await deliver()
    expect((await fates(id)).map(([state]) => state)).toEqual([
      'accepted',
      'accepted',
      'deferred',
      'deferred',
    ])
    relay.script = []
    await later(90)
    expect((await found(id)).state).toBe('sent')
  })
})

describe('A message whose last attempt is cut short', () => {
  const lastAttempt = async (id: string) => {
    relay.script = [['RCPT', '451 4.3.0 later']]
    await deliver()
    for (const seconds of faked.plane.config.email.retrySeconds.slice(0, -1)) await later(seconds * 1.3)
    faked.clock.advance({ days: 1 })
    const request = {
      kind: 'email',
      token: 'dies',
      leaseSeconds: 60,
      limit: 1,
      perRecipient: 1,
      maxAttempts: 10,
    }
    for (const attempts of [10, 11, 12]) {
      const taken = await faked.storage.deliveries.takeDue(request, faked.clock.advance({ seconds: 61 }))
      expect(taken).toMatchObject([{ attempts }])
    }
    await faked.storage.emailMessages.begin(id)
  }

  it.each([
    ['before its bytes left has failed', false, 'failed'],
    ['while they left is unknown', true, 'unknown'],
  ] as const)('%s, when the lease is over', async (_title, hasLeft, state) => {
    const id = await send('bob')
    await lastAttempt(id)
    if (hasLeft) await faked.storage.emailMessages.dataStarted(id, faked.clock.now())
    await later(59)
    expect((await found(id)).state).toBe('sending')
    await later(2)
    expect(await found(id)).toMatchObject({ state: 'failed', settledAt: faked.clock.now() })
    expect(await fates(id)).toEqual([[state, 'the service stopped while it sent']])
    relay.script = []
    await faked.plane.emails.retry(id)
    await deliver()
    expect((await found(id)).state).toBe('sent')
  })

  it('by the end of the service is tried again by the next run', async () => {
    const id = await send('bob')
    relay.script = [['RCPT', '451 4.3.0 later']]
    await deliver()
    for (const seconds of faked.plane.config.email.retrySeconds.slice(0, -1)) await later(seconds * 1.3)
    faked.clock.advance({ days: 1 })
    await faked.plane.emails.deliver(AbortSignal.abort())
    relay.script = []
    await deliver()
    expect((await found(id)).state).toBe('sent')
  })

  it('by an unknown end is sent once more, also when a person had it sent again', async () => {
    const id = await send('bob')
    relay.script = [['.', '554 5.6.0 no']]
    await deliver()
    await faked.plane.emails.retry(id)
    relay.script = [['RCPT', '451 4.3.0 later']]
    await deliver()
    for (const seconds of faked.plane.config.email.retrySeconds.slice(0, -1)) await later(seconds * 1.3)
    relay.script = [['.', { say: '', ends: true }]]
    await later(24 * HOUR)
    expect((await fates(id)).map(([state]) => state)).toEqual(['unknown'])
    relay.script = []
    await later(24 * HOUR)
    expect(await found(id)).toMatchObject({ state: 'sent', settledAt: faked.clock.now() })
  })
})

describe('Contents that no key opens', () => {
  it('wait for their key, and use up no attempt', async () => {
    const id = await send('bob')
    const { body } = faked.storage.emailMessages
    faked.storage.emailMessages.body = async () => ({ key: 'v1:gone:AAAA:AAAA:AAAA', text: 'v1' })
    for (let hour = 0; hour < 60; hour += 1) await later(HOUR)
    expect(await found(id)).toMatchObject({ state: 'queued' })
    faked.storage.emailMessages.body = body
    await later(HOUR)
    expect((await found(id)).state).toBe('sent')
  })
})
