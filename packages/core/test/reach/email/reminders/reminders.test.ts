// The tick of reminders, with a real relay on loopback.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { buildEndpoint, type TestPlane, testPlane } from '@svc/testing'
import PostalMime from 'postal-mime'
import { verifiedDomain } from '../../../../../../test/support/sending-domain.ts'
import { type LoopbackSmtp, loopbackSmtp } from '../../../../../../test/support/smtp-server.ts'

const DAY = 86_400
let relay: LoopbackSmtp
let test: TestPlane

beforeAll(async () => {
  relay = await loopbackSmtp()
})
afterAll(async () => {
  await test[Symbol.asyncDispose]()
  await relay[Symbol.asyncDispose]()
})
const opened = async (env: Record<string, string> = {}) => {
  const own = {
    EMAIL_SMTP_URL: relay.url,
    EMAIL_SMTP_ALLOW_PLAINTEXT: 'true',
    EMAIL_SYSTEM_FROM: 'svc@svc.example',
  }
  test = testPlane({ env: { ...own, ...env } })
}
beforeEach(async () => {
  relay.received.length = 0
  relay.recipients.clear()
  await opened()
  await verifiedDomain(test.plane, '', 'svc.example')
})

const license = async (days: number, contact = 'ann@acme.example') => {
  const expiresAt = new Date(test.clock.now().getTime() + days * DAY * 1000)
  const contactEmail = contact === '' ? undefined : contact
  const { license: made } = await test.plane.licenses.issue({ label: 'web', expiresAt, contactEmail })
  return made.id
}
const run = (input: { licenseId?: string; dryRun?: boolean } = {}) => test.plane.reminders.run(input)
const subjects = async () =>
  Promise.all(relay.received.map(async ({ raw }) => (await PostalMime.parse(raw)).subject))
const pass = (days: number) => test.clock.advance({ seconds: days * DAY })

describe('the tick of reminders', () => {
  it('two ticks at once and ten later ones send one message a license and step', async () => {
    await license(40)
    pass(33)
    const both = await Promise.all([run(), run()])
    expect(both.map(({ planned }) => planned.license_expiry).sort()).toEqual([0, 1])
    for (let tick = 0; tick < 10; tick += 1) await run()
    expect(await subjects()).toEqual(['Your license "web" ends in 7 days'])
    pass(4)
    await run()
    expect(await subjects()).toEqual([
      'Your license "web" ends in 7 days',
      'Your license "web" ends in 3 days',
    ])
    const [first] = relay.received
    expect(first?.to).toEqual(['ann@acme.example'])
    expect(String(first?.raw)).toMatch(/^Auto-Submitted: auto-generated/im)
  })

  it('a license that is renewed between planning and sending gets none', async () => {
    const id = await license(40)
    pass(33)
    relay.recipients.set('ann@acme.example', [451, 'later'])
    expect(await run()).toMatchObject({ planned: { license_expiry: 1 }, deferred: 1, remaining: 1 })
    relay.recipients.clear()
    await test.plane.licenses.extend(id, new Date(test.clock.now().getTime() + 365 * DAY * 1000))
    pass(1)
    expect(await run()).toMatchObject({ planned: { license_expiry: 0 }, cancelled: 1, remaining: 0 })
    expect(await subjects()).toEqual([])
  })

  it('a changed end is reminded of anew', async () => {
    const id = await license(40)
    pass(33)
    await run()
    await test.plane.licenses.extend(id, new Date(test.clock.now().getTime() + 40 * DAY * 1000))
    pass(33)
    await run()
    expect(await subjects()).toHaveLength(2)
  })

  it('a dry run says what is due, and writes nothing', async () => {
    const id = await license(40)
    pass(33)
    const dry = await run({ dryRun: true })
    expect(dry).toMatchObject({ planned: { license_expiry: 1 }, sent: 0, remaining: 0 })
    expect(dry.items).toMatchObject([{ subject: { licenseId: id }, step: 7, skipped: [14, 30] }])
    expect(await subjects()).toEqual([])
    expect(await run({ dryRun: true })).toEqual(dry)
    expect((await run()).sent).toBe(1)
  })

  it('a license whose holder has no address is counted, and reminded once it has one', async () => {
    const id = await license(40, '')
    await license(40)
    pass(33)
    expect(await run()).toMatchObject({ planned: { license_expiry: 1 }, sent: 1, noRecipient: 1 })
    await test.plane.licenses.edit(id, { contactEmail: 'bob@acme.example' })
    expect(await run()).toMatchObject({ planned: { license_expiry: 1 }, noRecipient: 0 })
  })

  it('a run of one license is about that license alone', async () => {
    const [own] = [await license(40), await license(40)]
    pass(33)
    expect(await run({ licenseId: own })).toMatchObject({ planned: { license_expiry: 1 } })
    expect(await run()).toMatchObject({ planned: { license_expiry: 1 } })
  })

  it('an endpoint that answers 410 is told of once, and again when it fails again', async () => {
    const id = await license(400)
    const { webhooks } = test.storage
    const endpoint = buildEndpoint({ licenseId: id })
    pass(1)
    await webhooks.add(endpoint, 10, test.clock.now())
    for (const _ of [1, 2]) {
      pass(1)
      await webhooks.disable(endpoint.id, 'gone', test.clock.now())
      expect(await run()).toMatchObject({ planned: { webhook_disabled: 1 }, sent: 1 })
      expect(await run()).toMatchObject({ planned: { webhook_disabled: 0 } })
      await webhooks.enable(endpoint.id)
      await webhooks.change(endpoint.id, { description: 'mended' }, test.clock.now())
    }
    expect(await subjects()).toEqual(Array(2).fill('Your license "web": a webhook endpoint is disabled'))
    expect(String(relay.received[0]?.raw)).toContain(endpoint.id)
  })

  it('an unpaid invoice is told on its days until it is paid', async () => {
    const id = await license(400)
    pass(1)
    const { billing } = test.storage
    await billing.openDunning({ licenseId: id, invoiceId: 'in_1', startedAt: test.clock.now() })
    for (const days of [0, 2, 1, 4, 7, 30]) {
      pass(days)
      await run()
    }
    expect(await subjects()).toEqual([
      'Your license "web": the payment failed',
      'Your license "web": the payment failed',
      'Your license "web": the payment failed',
      'Your license "web" is about to be suspended',
    ])
    await billing.openDunning({ licenseId: id, invoiceId: 'in_2', startedAt: test.clock.now() })
    relay.recipients.set('ann@acme.example', [451, 'later'])
    expect((await run()).remaining).toBe(1)
    await billing.endDunning(id, test.clock.now())
    relay.recipients.clear()
    pass(1)
    expect(await run()).toMatchObject({ cancelled: 1, remaining: 0 })
    expect(await subjects()).toHaveLength(4)
  })

  it.each([
    ['a relay', { EMAIL_SMTP_URL: '' }],
    ['EMAIL_SYSTEM_FROM', { EMAIL_SYSTEM_FROM: '' }],
    ['a verified domain', {}],
  ])('without %s it is closed, and nothing is queued', async (_, env) => {
    await test[Symbol.asyncDispose]()
    await opened(env)
    await license(40)
    pass(33)
    await expect(run()).rejects.toMatchObject({ code: 'email-not-configured' })
    await test.plane.scheduler.tick()
    expect((await test.plane.emails.list({ limit: 10 })).messages).toEqual([])
    expect(test.log.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('the scheduler runs it, every ten minutes', async () => {
    await license(40)
    pass(33)
    await test.plane.scheduler.tick()
    await test.plane.scheduler.tick()
    expect(await subjects()).toEqual(['Your license "web" ends in 7 days'])
  })
})
