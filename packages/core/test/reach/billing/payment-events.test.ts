import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Storage } from '@svc/core'
import { postgresStorage } from '@svc/testing'
import { counted } from '../../../../../test/support/counted.ts'
import { eventText, invoice, signedBy, signedByRecipe } from '../../../../../test/support/payment-provider.ts'
import { SERVER } from '../../platform/storage/backends.ts'
import { type BillingScene, billingScene, codeOf } from './billing-scene.ts'

const UPDATED = 'customer.subscription.updated'
const GRACED = new Date((1_767_600_000 + 2_592_000 + 14 * 86_400) * 1000)
const PRO = { tier: 'pro', status: 'active', billingState: 'active', expiresAt: GRACED }
const STRANGER = { actor: 'cli:ann' }

async function untouched(scene: BillingScene): Promise<void> {
  expect(await scene.license()).toMatchObject({ tier: undefined, billingState: undefined, status: 'active' })
  expect([await scene.audited(), await scene.told()]).toEqual([0, 0])
}

describe('a payment event', () => {
  it('sets tier and status of its license, and says so to the license and in the audit log', async () => {
    await using scene = await billingScene()
    expect(await scene.send(UPDATED, scene.subscribe())).toEqual({})
    expect(await scene.license()).toMatchObject(PRO)
    expect([await scene.audited(), await scene.told()]).toEqual([1, 1])
    const [entry] = await scene.test.storage.audit.list(1, { operation: 'billing.apply' })
    expect(entry).toMatchObject({
      actor: 'payment-provider',
      input: { license: scene.licenseId, tier: 'pro' },
    })
    expect(await counted(scene.test.plane, 'svc_payment_events_total')).toEqual({ '{outcome="applied"}': 1 })
  })

  it('that moves the end alone moves that of the license', async () => {
    await using scene = await billingScene()
    const ends = (second: number) =>
      scene.send(
        UPDATED,
        scene.subscribe({ id: 'sub_end', customer: 'cus_end', more: { cancel_at: second } }),
      )
    for (const second of [1_768_000_000, 1_769_000_000]) {
      await ends(second)
      expect(await scene.license()).toMatchObject({
        billingState: 'canceling',
        expiresAt: new Date(second * 1000),
      })
    }
  })

  it('that is not signed for these bytes and this time is refused and changes nothing', async () => {
    await using scene = await billingScene()
    const { plane, clock } = scene.test
    const text = eventText(UPDATED, scene.subscribe())
    const receive = (body: string, signature: string) =>
      codeOf(plane.paymentEvents.receive({ body: Buffer.from(body), signature }))
    const second = Math.floor(+clock.now() / 1000)
    expect(await receive(text.replace('evt_', 'evt-'), signedBy(text, clock.now()))).toBe('invalid-signature')
    for (const minutes of [-10, 10])
      expect(await receive(text, signedByRecipe(text, second + minutes * 60))).toBe('invalid-signature')
    expect(await plane.paymentEvents.list({ limit: 9 })).toEqual([])
    await untouched(scene)
  })

  it.each([
    ['no JSON', '{"id": "evt_1"'],
    [
      'a thin event',
      '{"id": "evt_1", "object": "v2.core.event", "type": "v1.billing", "created": 1767603600}',
    ],
    ['no id', '{"object": "event", "type": "invoice.paid", "created": 1767603600}'],
    ['a list in lists', '['.repeat(100_000)],
  ])('that is signed and is %s is refused', async (_, text) => {
    await using scene = await billingScene()
    expect(await codeOf(scene.deliver(text))).toBe('invalid-event')
    expect(await scene.test.plane.paymentEvents.list({ limit: 9 })).toEqual([])
  })

  it('of another mode, or of a kind that is not handled, changes nothing', async () => {
    await using scene = await billingScene({
      env: { PAYMENT_ACCEPT_TEST_EVENTS: 'false', PAYMENT_SECRET_KEY: undefined },
    })
    expect(await scene.send(UPDATED, scene.subscribe())).toEqual({ ignored: 'livemode' })
    expect(await scene.send('customer.created', { id: 'cus_1' })).toEqual({ ignored: 'type' })
    await untouched(scene)
    const kept = await scene.test.plane.paymentEvents.list({ limit: 9 })
    expect(kept.map(({ state, error }) => [state, error])).toEqual([['ignored', 'livemode']])
  })

  it('with a price that no tier has changes no license, and waits for a person', async () => {
    await using scene = await billingScene()
    const { plane } = scene.test
    const { paymentEvents } = plane
    expect(await scene.send(UPDATED, scene.subscribe({ price: 'price_other' }))).toEqual({})
    await untouched(scene)
    const { events } = await plane.operations.run('billing-events.list', { state: 'parked' }, 'cli:ann')
    expect(events).toMatchObject([{ error: 'unknown_price', license_id: scene.licenseId }])
    const id = String(events[0]?.id)
    scene.provider.subscribe({ id: 'sub_1', licenseId: scene.licenseId })
    expect(await paymentEvents.retry(id)).toMatchObject({ state: 'applied' })
    expect(await scene.license()).toMatchObject(PRO)
    expect(await codeOf(paymentEvents.retry(id))).toBe('conflict')
    expect(await codeOf(paymentEvents.resolve(id))).toBe('conflict')
  })

  it.each([
    ['a license that does not exist', { licenseId: 'lic_none' }, 'unknown_license'],
    ['no license', { licenseId: undefined }, 'unknown_license'],
    ['a state that nobody knows', { status: 'frozen' }, 'unknown_status'],
  ])('for %s is parked', async (_, fields, reason) => {
    await using scene = await billingScene()
    await scene.send(UPDATED, scene.subscribe(fields))
    await untouched(scene)
    const [event] = await scene.test.plane.paymentEvents.list({ limit: 1 })
    expect(event).toMatchObject({ state: 'parked', error: reason })
  })

  it('never moves a subscription to another license', async () => {
    await using scene = await billingScene()
    await scene.send(UPDATED, scene.subscribe({ id: 'sub_1' }))
    const { id: other } = await scene.test.license('other')
    await scene.send(UPDATED, scene.subscribe({ id: 'sub_1', licenseId: other }))
    const [event] = await scene.test.plane.paymentEvents.list({ states: ['parked'], limit: 1 })
    expect(event).toMatchObject({ error: 'license_changed' })
    expect((await scene.test.storage.licenses.get(other))?.tier).toBeUndefined()
  })

  it('with the id of another one is that one', async () => {
    await using scene = await billingScene()
    await scene.send(UPDATED, scene.subscribe(), { id: 'evt_same' })
    const other = scene.provider.change('sub_1', { status: 'unpaid' })
    expect(await scene.send(UPDATED, other, { id: 'evt_same' })).toEqual({ duplicate: true })
    expect(await scene.license()).toMatchObject(PRO)
  })

  it('without a secret is refused, and with a bad setting of billing too', async () => {
    for (const env of [{ PAYMENT_WEBHOOK_SECRET: undefined }, { PAYMENT_PRICE_TEAM: 'price_pro' }]) {
      await using scene = await billingScene({ env })
      expect(await codeOf(scene.send(UPDATED, scene.subscribe()))).toBe('payment-webhook-not-configured')
      await untouched(scene)
    }
  })

  it('is kept while the provider is down, and applied by a later copy or by the tick', async () => {
    await using scene = await billingScene()
    const { plane, clock } = scene.test
    const [first, second] = [
      scene.subscribe(),
      scene.subscribe({ status: 'canceled', created: 1_767_500_000 }),
    ]
    const text = eventText(UPDATED, first)
    for (const object of [first, second]) {
      scene.provider.faults.push(500, 500, 500)
      const sent = object === first ? text : eventText(UPDATED, object)
      expect(await codeOf(scene.deliver(sent))).toBe('event-not-applied')
    }
    await untouched(scene)
    expect(await scene.deliver(text)).toEqual({})
    expect(await scene.license()).toMatchObject(PRO)
    const waiting = async () => (await plane.paymentEvents.list({ states: ['failed'], limit: 9 })).length
    await plane.paymentEvents.drain(new AbortController().signal)
    expect(await waiting()).toBe(1)
    clock.advance({ minutes: 1 })
    await plane.scheduler.tick()
    expect(await waiting()).toBe(0)
    expect(await scene.license()).toMatchObject(PRO)
  })

  it('is given up after its last attempt, and calls a person', async () => {
    await using scene = await billingScene()
    const { plane, clock, storage } = scene.test
    const broken = scene.subscribe({ id: 'sub_broken', customer: '' })
    expect(await codeOf(scene.send(UPDATED, broken))).toBe('event-not-applied')
    for (let tries = 0; tries < 6; tries += 1) {
      expect(await storage.paymentEvents.troubles(24, clock.now())).toHaveLength(tries === 5 ? 1 : 0)
      clock.advance({ hours: 13 })
      await plane.paymentEvents.drain(new AbortController().signal)
    }
    const [event] = await plane.paymentEvents.list({ limit: 1 })
    expect(event).toMatchObject({ state: 'failed', attempts: 6, error: 'provider_error' })
    expect(await plane.paymentEvents.resolve(event?.id ?? '')).toMatchObject({ state: 'ignored' })
  })

  it('of a dispute or a refund changes nothing and calls a person', async () => {
    await using scene = await billingScene()
    await scene.send(UPDATED, scene.subscribe({ customer: 'cus_9' }))
    const before = await scene.license()
    await scene.send('charge.dispute.created', { id: 'dp_1', object: 'dispute', charge: 'ch_1' })
    await scene.send('charge.refunded', { id: 'ch_1', object: 'charge', customer: 'cus_9' })
    expect(await scene.license()).toEqual(before)
    const parked = await scene.test.plane.paymentEvents.list({ states: ['parked'], limit: 9 })
    expect(parked.map(({ error, licenseId }) => [error, licenseId]).sort()).toEqual([
      ['dispute', undefined],
      ['refund', scene.licenseId],
    ])
    await scene.test.plane.scheduler.tick()
    const { alerts } = await scene.test.plane.operations.run('alerts.list', {}, 'cli:ann')
    expect(alerts).toMatchObject([{ kind: 'payment_event' }, { kind: 'payment_event' }])
  })
})

describe('a license', () => {
  it('stays suspended when its subscription ended before a late event says that it is active', async () => {
    await using scene = await billingScene()
    await scene.send('customer.subscription.created', scene.subscribe())
    const active = { ...scene.provider.subscriptions.get('sub_1') }
    const ended = scene.provider.change('sub_1', { status: 'canceled', ended_at: 1_767_603_000 })
    await scene.send('customer.subscription.deleted', ended)
    await scene.send(UPDATED, active)
    expect(await scene.license()).toMatchObject({
      status: 'suspended',
      statusReason: 'billing',
      billingState: 'canceled',
      expiresAt: new Date(1_767_603_000_000),
    })
  })

  it('stays active when it has recovered before a late event says that it owes', async () => {
    await using scene = await billingScene()
    const active = scene.subscribe()
    await scene.send('invoice.paid', invoice('sub_1'))
    await scene.send(UPDATED, { ...active, status: 'past_due' })
    await scene.send('invoice.payment_failed', invoice('sub_1'))
    expect(await scene.license()).toMatchObject(PRO)
    expect(await scene.test.storage.billing.dunning()).toEqual([])
  })

  it('a fetch that began earlier and ends later changes nothing', async () => {
    await using scene = await billingScene()
    const active = scene.subscribe()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let calls = 0
    // The first answer is read from the true state now, and leaves the provider only when the second has
    // come.
    const { storage, plane } = scene.test
    const token = await storage.billing.nextToken()
    scene.provider.before = async () => {
      calls += 1
      if (calls === 1) await held
    }
    const first = scene.send(UPDATED, active)
    scene.provider.before = () => {}
    const canceled = scene.provider.change('sub_1', { status: 'canceled', ended_at: 1_767_603_000 })
    await scene.send('customer.subscription.deleted', canceled)
    release()
    await first
    expect(await scene.license()).toMatchObject({ billingState: 'canceled' })
    const told = { subscription: { ...NEVER, licenseId: scene.licenseId }, token }
    const { SubscriptionSync } = await import('../../../src/reach/billing/subscription-sync.ts')
    const sync = new SubscriptionSync({ ...scene.test, config: plane.config, provider: undefined })
    expect(await sync.apply(told, STRANGER)).toEqual({ kind: 'stale', licenseId: scene.licenseId })
    expect(await scene.license()).toMatchObject({ billingState: 'canceled' })
  })

  it('that is not paid cannot claim jobs, and works again when it is paid', async () => {
    await using scene = await billingScene()
    const { plane, storage } = scene.test
    await scene.send(UPDATED, scene.subscribe())
    scene.provider.change('sub_1', { status: 'past_due' })
    await scene.send('invoice.payment_failed', invoice('sub_1'))
    expect(await plane.licenses.validate(scene.key)).toBeDefined()
    expect(await storage.billing.dunning()).toMatchObject([{ invoiceId: 'in_sub_1' }])
    expect(await scene.told('billing.payment_failed')).toBe(1)
    await scene.send(UPDATED, scene.provider.change('sub_1', { status: 'unpaid' }))
    expect(await plane.licenses.validate(scene.key)).toBeUndefined()
    expect(await storage.billing.dunning()).toHaveLength(1)
    expect(await plane.billing.holderOf(scene.key)).toBe(scene.licenseId)
    scene.provider.change('sub_1', { status: 'active' })
    await scene.send('invoice.paid', invoice('sub_1'))
    expect(await plane.licenses.validate(scene.key)).toBeDefined()
    expect(await storage.billing.dunning()).toEqual([])
  })

  it.each(['revoke', 'suspend'] as const)(
    'that an operator had %sd stays so after any event',
    async (verb) => {
      await using scene = await billingScene()
      const { plane } = scene.test
      await plane.licenses[verb](scene.licenseId)
      const { status } = await scene.license()
      for (const word of ['active', 'past_due', 'unpaid', 'canceled', 'active']) {
        await scene.send(UPDATED, scene.subscribe({ id: 'sub_1', status: word }))
        expect(await scene.license()).toMatchObject({ status, statusReason: 'operator' })
      }
      expect(await codeOf(plane.billing.holderOf(scene.key))).toBe('unauthorized')
    },
  )

  it('with two subscriptions stands by the first, and the end of the second changes nothing', async () => {
    await using scene = await billingScene()
    await scene.send(UPDATED, scene.subscribe({ id: 'sub_a', price: 'price_starter' }))
    await scene.send(UPDATED, scene.subscribe({ id: 'sub_b' }))
    expect(await scene.license()).toMatchObject({ tier: 'starter', billingState: 'active' })
    const [event] = await scene.test.plane.paymentEvents.list({ states: ['parked'], limit: 9 })
    expect(event).toMatchObject({ error: 'duplicate_subscription', licenseId: scene.licenseId })
    await scene.test.plane.scheduler.tick()
    const { alerts } = await scene.test.plane.operations.run('alerts.list', {}, 'cli:ann')
    expect(alerts).toMatchObject([{ kind: 'duplicate_subscription', severity: 'critical' }])
    const ended = { status: 'canceled', ended_at: 1_767_603_000 }
    await scene.send('customer.subscription.deleted', scene.provider.change('sub_b', ended))
    expect(await scene.license()).toMatchObject({ tier: 'starter', status: 'active', billingState: 'active' })
  })

  it('goes on with the second of two when the first one ends', async () => {
    await using scene = await billingScene()
    await scene.send(UPDATED, scene.subscribe({ id: 'sub_a', price: 'price_starter' }))
    await scene.send(UPDATED, scene.subscribe({ id: 'sub_b' }))
    const ended = { status: 'canceled', ended_at: 1_767_603_000 }
    await scene.send('customer.subscription.deleted', scene.provider.change('sub_a', ended))
    expect(await scene.license()).toMatchObject({ tier: 'pro', status: 'active', billingState: 'active' })
  })

  it('keeps what it has while somebody pays for a price that no tier has any more', async () => {
    await using scene = await billingScene()
    await scene.send(UPDATED, scene.subscribe({ id: 'sub_old', status: 'canceled', created: 1_767_000_000 }))
    await scene.send(UPDATED, scene.subscribe({ id: 'sub_a' }))
    const before = await scene.license()
    await scene.send(UPDATED, scene.subscribe({ id: 'sub_a', price: 'price_new' }))
    await scene.test.plane.billing.sync('sub_old', 'cli:ann')
    expect(await scene.license()).toEqual(before)
    await scene.send(UPDATED, scene.subscribe({ id: 'sub_a', price: 'price_new', status: 'canceled' }))
    expect(await scene.license()).toMatchObject({ status: 'suspended', billingState: 'canceled' })
  })
})

const NEVER = {
  id: 'sub_1',
  customerId: 'cus_1',
  status: 'active',
  cancelAt: undefined,
  currentPeriodEnd: undefined,
  endedAt: undefined,
  createdAt: new Date(0),
  items: [{ priceId: 'price_pro', currentPeriodEnd: undefined }],
}

describe('payment events on PostgreSQL', () => {
  let storage: Storage
  let scene: BillingScene
  beforeAll(async () => {
    storage = await postgresStorage(SERVER)
    scene = await billingScene({ storage })
  })
  afterAll(async () => {
    await scene[Symbol.asyncDispose]()
    await storage[Symbol.asyncDispose]()
  })

  it('of twenty copies of an event at once one is applied, and none is lost', async () => {
    const text = eventText(UPDATED, scene.subscribe({ id: 'sub_p' }))
    const answers = await Promise.all(Array.from({ length: 20 }, () => codeOf(scene.deliver(text))))
    const applied = answers.filter((each) => JSON.stringify(each) === '{}')
    expect(applied).toHaveLength(1)
    for (const each of answers.filter((one) => !applied.includes(one)))
      expect(['event-not-applied', { duplicate: true }]).toContainEqual(each)
    expect(await scene.deliver(text)).toEqual({ duplicate: true })
    expect(await scene.license()).toMatchObject(PRO)
    expect([await scene.audited(), await scene.told()]).toEqual([1, 1])
  })

  it('many events of one license at once end in what is true, without a deadlock', async () => {
    const gone = { status: 'canceled', more: { ended_at: 1_767_603_000 } }
    const made = [
      scene.subscribe({ id: 'sub_p' }),
      ...['sub_q', 'sub_r'].map((id) => scene.subscribe({ id, ...gone })),
    ]
    const sent = [...made, ...made, ...made].map((each) => codeOf(scene.send(UPDATED, each)))
    expect(new Set((await Promise.all(sent)).map((each) => JSON.stringify(each)))).toEqual(new Set(['{}']))
    expect(await scene.license()).toMatchObject(PRO)
  })
})
