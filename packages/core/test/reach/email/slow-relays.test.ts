// Mail relays that take their time: each message is sent once, its state says so, and nothing stays behind.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type TestPlane, testPlane, whatIsLeft } from '@svc/testing'
import { counted } from '../../../../../test/support/counted.ts'
import { type ScriptedSmtp, scriptedSmtp } from '../../../../../test/support/scripted-smtp.ts'
import { verifiedDomain } from '../../../../../test/support/sending-domain.ts'
import { type SlowWay, type SlowWayOptions, slowWay } from '../../../../../test/support/slow-way.ts'
import { type RelayLimits, SmtpRelay } from '../../../src/outside/smtp/mail-relay-smtp.ts'

const BODY = {
  from: 'Ann <ann@mail.example.com>',
  to: 'bob@example.net',
  subject: 'hello',
  text: 'Good morning.',
}
const LIMITS: RelayLimits = { connectMs: 2000, silenceMs: 2000, wholeMs: 4000 }

let faked: TestPlane
let relay: ScriptedSmtp
let way: SlowWay
let owner: string
let ticking: NodeJS.Timeout | undefined

beforeEach(async () => {
  relay = await scriptedSmtp()
})
afterEach(async () => {
  clearInterval(ticking)
  await faked[Symbol.asyncDispose]()
  await way[Symbol.asyncDispose]()
  await relay[Symbol.asyncDispose]()
})

/** A plane whose relay is behind a slow way, and whose clock goes with the time. */
async function opened(options: SlowWayOptions, limits: Partial<RelayLimits> = {}, env = {}) {
  way = await slowWay(relay.port, options)
  const address = { url: `smtp://127.0.0.1:${way.port}`, plaintext: true }
  const settings = { EMAIL_SMTP_URL: address.url, EMAIL_SMTP_ALLOW_PLAINTEXT: 'true', ...env }
  const mailRelay = new SmtpRelay(address, { ...LIMITS, ...limits })
  faked = testPlane({ env: settings, parts: { mailRelay } })
  owner = (await faked.license()).id
  await verifiedDomain(faked.plane, owner, 'mail.example.com')
  let beforeMs = performance.now()
  ticking = setInterval(() => {
    const nowMs = performance.now()
    faked.clock.advance(Math.floor(nowMs - beforeMs))
    beforeMs += Math.floor(nowMs - beforeMs)
  }, 5)
}

const send = async (fields: object = {}) =>
  (await faked.plane.emails.sending.send({ owner, fields: { ...BODY, ...fields } })).id
const found = (id: string) => faked.plane.emails.find(id)
const later = async (seconds: number) => {
  faked.clock.advance({ seconds })
  return faked.plane.emails.deliver()
}
const until = async (isSo: () => Promise<boolean> | boolean) => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5))
}
const isSending = async (id: string) => (await found(id)).state === 'sending'
const faults = () => counted(faked.plane, 'svc_email_relay_faults_total')

/** The connection is closed, and no row, lease or gauge says that something is under way. */
async function expectNothingLeft() {
  await until(() => way.counts.open === 0)
  expect(await whatIsLeft(faked)).toEqual([])
}

test('A relay that answers each line after 300 ms gets a message once, and it is sent when that was said', async () => {
  await opened({ answerMs: 300 })
  const id = await send()
  const run = faked.plane.emails.deliver()
  await until(() => isSending(id))
  expect(await whatIsLeft(faked)).toContain(`emailMessages ${id}: still sending`)
  // Another run meanwhile finds nothing to do.
  expect(await faked.plane.emails.deliver()).toBe(0)
  expect(await run).toBe(1)
  expect(relay.messages).toHaveLength(1)
  const { state, createdAt, settledAt = createdAt } = await found(id)
  expect(state).toBe('sent')
  // The greeting and the answers to EHLO, MAIL, RCPT, DATA and the message.
  expect(settledAt.getTime() - createdAt.getTime()).toBeGreaterThan(6 * 300 - 100)
  expect(settledAt.getTime() - createdAt.getTime()).toBeLessThan(10_000)
  expect(await faked.storage.emailMessages.states()).toMatchObject({ sent: 1, sending: 0, queued: 0 })
  expect(await counted(faked.plane, 'svc_email_recipients_total')).toEqual({ '{state="accepted"}': 1 })
  expect(await faults()).toEqual({})
  await expectNothingLeft()
  expect(await later(3600)).toBe(0)
})

test('A relay that reads slowly gets the whole message, once', async () => {
  await opened({ askSips: { bytes: 65_536, pauseMs: 60 } })
  const content = Buffer.alloc(400_000, 'an attachment ').toString('base64')
  const id = await send({ attachments: [{ filename: 'a.txt', content, content_type: 'text/plain' }] })
  expect(await faked.plane.emails.deliver()).toBe(1)
  expect(relay.messages.map(({ length }) => length > content.length)).toEqual([true])
  const { state, createdAt, settledAt = createdAt } = await found(id)
  expect(state).toBe('sent')
  expect(settledAt.getTime() - createdAt.getTime()).toBeGreaterThan(400)
  await expectNothingLeft()
})

test('A last reply that comes late, and in time, counts', async () => {
  relay.script = [['.', { say: '250 taken', afterMs: 900 }]]
  await opened({})
  const id = await send()
  expect(await faked.plane.emails.deliver()).toBe(1)
  expect([(await found(id)).state, relay.messages.length]).toEqual(['sent', 1])
  await expectNothingLeft()
})

test.each([
  ['its silence', { silenceMs: 400, wholeMs: 8000 }],
  ['the whole time of a transaction', { silenceMs: 8000, wholeMs: 400 }],
])(
  'One that comes after %s is not waited for: the message is sent once more, and then left',
  async (_what, limits) => {
    relay.script = [['.', { say: '250 taken', afterMs: 6000 }]]
    await opened({}, limits)
    const id = await send()
    const began = performance.now()
    expect(await faked.plane.emails.deliver()).toBe(0)
    expect(performance.now() - began).toBeLessThan(5000)
    expect(await found(id)).toMatchObject({
      state: 'queued',
      unknowns: 1,
      recipients: [{ state: 'unknown' }],
    })
    expect(await faults()).toEqual({})
    await expectNothingLeft()
    relay.script = []
    expect(await later(120)).toBe(1)
    expect([(await found(id)).state, relay.messages.length]).toEqual(['sent', 2])
    await expectNothingLeft()
  },
)

test('It is exactly once where the settings hold what nobody knows', async () => {
  relay.script = [['.', { say: '250 taken', afterMs: 6000 }]]
  await opened({}, { wholeMs: 400 }, { EMAIL_UNKNOWN_POLICY: 'hold' })
  const id = await send()
  await faked.plane.emails.deliver()
  relay.script = []
  await later(3600)
  expect([(await found(id)).state, relay.messages.length]).toEqual(['failed', 1])
  await expectNothingLeft()
})

test('A relay that does not greet in time costs no attempt, and gets the message when it does', async () => {
  relay.script = [['', { say: '220 here', afterMs: 6000 }]]
  await opened({}, { connectMs: 300, silenceMs: 8000, wholeMs: 8000 })
  const id = await send()
  const began = performance.now()
  expect(await faked.plane.emails.deliver()).toBe(0)
  expect(performance.now() - began).toBeLessThan(5000)
  expect(await found(id)).toMatchObject({ state: 'queued', unknowns: 0, recipients: [{ state: 'queued' }] })
  expect(await faults()).toEqual({ '{fault="connect"}': 1 })
  expect(await faked.plane.emails.isRelayDown()).toBe(true)
  await expectNothingLeft()
  relay.script = []
  expect(await later(30)).toBe(0)
  expect(await later(60)).toBe(1)
  expect(await faked.plane.emails.isRelayDown()).toBe(false)
  expect([(await found(id)).state, relay.messages.length]).toEqual(['sent', 1])
  await expectNothingLeft()
})

test('A service that ends while the relay takes its time gives the message back, uncounted', async () => {
  await opened({ answerMs: 300 })
  const id = await send()
  const ending = new AbortController()
  const run = faked.plane.emails.deliver(ending.signal)
  await until(() => isSending(id))
  ending.abort()
  expect(await run).toBe(0)
  expect(await found(id)).toMatchObject({ state: 'queued', unknowns: 0 })
  const delivery = await faked.storage.deliveries.latest({ kind: 'email', recipient: 'relay' })
  expect(delivery).toMatchObject({ state: 'due', attempts: 0 })
  expect(await faked.plane.emails.isRelayDown()).toBe(false)
  await expectNothingLeft()
  expect(await faked.plane.emails.deliver()).toBe(1)
  expect(relay.messages).toHaveLength(1)
  await expectNothingLeft()
})
