import { describe, expect, it } from '@jest/globals'
import { eventText, invoice } from '../../../../../test/support/payment-provider.ts'
import { type BillingScene, billingScene, codeOf } from './billing-scene.ts'

const run = (scene: BillingScene, name: string, input: object = {}) =>
  scene.test.plane.operations.run(name, input, 'cli:ann')
const TIERS = 'starter=starter:deploy,db; pro=business:deploy,db,mcp'

describe('tiers', () => {
  it('are those of the table and those that have a price', async () => {
    await using scene = await billingScene({ env: { SERVICE_LICENSE_TIERS: `${TIERS}; free=free:deploy` } })
    expect((await run(scene, 'billing.tiers')).tiers).toEqual([
      { tier: 'free', plan: 'free', features: ['deploy'] },
      { tier: 'pro', price_id: 'price_pro', plan: 'business', features: ['deploy', 'db', 'mcp'] },
      { tier: 'starter', price_id: 'price_starter', plan: 'starter', features: ['deploy', 'db'] },
    ])
  })

  it('decide on the plan and the features of an activation', async () => {
    await using scene = await billingScene({ env: { SERVICE_LICENSE_TIERS: TIERS } })
    const { plane } = scene.test
    const activate = async () => {
      const { token, plan, features } = await plane.licenses.activate({
        key: scene.key,
        fingerprint: undefined,
      })
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
      expect([claims.plan, claims.features]).toEqual([plan, features])
      return [plan, features]
    }
    const all = ['business', ['deploy', 'db', 'mcp', 'clone', 'migrate']]
    expect(await activate()).toEqual(all)
    await scene.send('customer.subscription.updated', scene.subscribe({ price: 'price_starter' }))
    expect(await activate()).toEqual(['starter', ['deploy', 'db']])
    await scene.send('customer.subscription.updated', scene.subscribe({ id: 'sub_1' }))
    expect(await activate()).toEqual(['business', ['deploy', 'db', 'mcp']])
  })

  it('change nothing of an activation without a table', async () => {
    await using scene = await billingScene()
    await scene.send('customer.subscription.updated', scene.subscribe({ price: 'price_starter' }))
    const { plan, features } = await scene.test.plane.licenses.activate({
      key: scene.key,
      fingerprint: undefined,
    })
    expect([plan, features]).toEqual(['business', ['deploy', 'db', 'mcp', 'clone', 'migrate']])
  })

  it('are given by operators too, and must be known', async () => {
    await using scene = await billingScene()
    const { license } = await run(scene, 'licenses.issue', { tier: 'pro', contact: 'ann@example.com' })
    expect(license).toMatchObject({ tier: 'pro', contact_email: 'ann@example.com' })
    const edited = await run(scene, 'licenses.edit', { license: scene.licenseId, tier: 'starter' })
    expect(edited.license).toMatchObject({ tier: 'starter' })
    for (const name of ['licenses.issue', 'licenses.edit'])
      expect(await codeOf(run(scene, name, { license: scene.licenseId, tier: 'gold' }))).toBe('invalid-input')
  })
})

describe('operations of billing', () => {
  it('show how a license stands', async () => {
    await using scene = await billingScene()
    await run(scene, 'billing.checkout', { license: 'shop', tier: 'pro' })
    scene.subscribe({ id: 'sub_1', status: 'past_due' })
    await scene.send('invoice.payment_failed', invoice('sub_1'))
    expect(await run(scene, 'billing.status', { license: 'shop' })).toMatchObject({
      license_id: scene.licenseId,
      tier: 'pro',
      status: 'active',
      billing_state: 'past_due',
      subscriptions: [{ id: 'sub_1', status: 'past_due', tier: 'pro' }],
      checkout: { tier: 'pro', state: 'open' },
      unpaid_invoices: [{ invoice_id: 'in_sub_1', since: 1_767_603_600 }],
    })
    const [entry] = await scene.test.storage.audit.list(1, { operation: 'billing.checkout' })
    expect(JSON.stringify(entry)).not.toContain('stripe.com')
  })

  it('bring a license in line that no event told of', async () => {
    await using scene = await billingScene()
    scene.subscribe()
    expect((await run(scene, 'billing.sync', { name: 'sub_1' })).synced).toEqual([
      { id: 'sub_1', outcome: 'applied' },
    ])
    expect(await scene.license()).toMatchObject({ tier: 'pro', billingState: 'active' })
    const [entry] = await scene.test.storage.audit.list(1, { operation: 'billing.apply' })
    expect(entry?.actor).toBe('cli:ann')
    scene.subscribe({ id: 'sub_1', price: 'price_other' })
    const parked = { id: 'sub_1', outcome: 'parked', reason: 'unknown_price' }
    expect((await run(scene, 'billing.sync', { name: 'shop' })).synced).toEqual([parked])
    expect((await run(scene, 'billing.sync', { name: 'sub_9' })).synced).toEqual([
      { id: 'sub_9', outcome: 'unknown' },
    ])
    scene.provider.faults.push(500, 500, 500)
    expect(await codeOf(run(scene, 'billing.sync', { name: 'shop' }))).toBe('payment-provider')
  })

  it('reconcile what the provider has with what is stored, over many pages, at first without changing anything', async () => {
    await using scene = await billingScene()
    await scene.send('customer.subscription.updated', scene.subscribe({ id: 'sub_differs' }))
    const { id: other } = await scene.test.license('other')
    scene.provider.subscribe({ id: 'sub_missing', licenseId: other })
    for (let each = 0; each < 150; each += 1) scene.provider.subscribe({ price: 'price_of_another_product' })
    await scene.send('customer.subscription.updated', scene.subscribe({ id: 'sub_twice' }))
    const { id: third } = await scene.test.license('third')
    await scene.send(
      'customer.subscription.updated',
      scene.provider.subscribe({ id: 'sub_gone', licenseId: third }),
    )
    scene.provider.change('sub_gone', { status: 'canceled', ended_at: 1_767_603_000 })
    scene.provider.change('sub_differs', { status: 'past_due' })
    const reconcile = async (dry_run: boolean) => {
      const { drifts } = await run(scene, 'billing.reconcile', { dry_run })
      return (drifts as { kind: string; subscription_id: string }[]).map((each) => [
        each.kind,
        each.subscription_id,
      ])
    }
    const drifts = [
      ['differs', 'sub_differs'],
      ['missing', 'sub_missing'],
      ['duplicate', 'sub_twice'],
      ['gone', 'sub_gone'],
    ]
    const before = await scene.license()
    expect(await reconcile(true)).toEqual(drifts)
    expect(await scene.license()).toEqual(before)
    expect(await reconcile(false)).toEqual(drifts)
    expect(await scene.license()).toMatchObject({ billingState: 'past_due' })
    expect(await scene.test.storage.licenses.get(other)).toMatchObject({ tier: 'pro' })
    expect(await scene.test.storage.licenses.get(third)).toMatchObject({ billingState: 'canceled' })
    expect(await reconcile(false)).toEqual([['duplicate', 'sub_twice']])
  })

  it('sign an event for a try, and nothing where events are live', async () => {
    await using scene = await billingScene()
    const body = eventText('customer.subscription.updated', scene.subscribe())
    const { header } = await run(scene, 'billing.sign-test', { body })
    const receive = () =>
      scene.test.plane.paymentEvents.receive({ body: Buffer.from(body), signature: String(header) })
    expect(await receive()).toEqual({})
    const live = ['sk', 'live', 'x'.repeat(24)].join('_')
    for (const env of [
      { PAYMENT_ACCEPT_TEST_EVENTS: 'false' },
      { PAYMENT_SECRET_KEY: live },
      { PAYMENT_WEBHOOK_SECRET: undefined },
    ]) {
      await using other = await billingScene({ env })
      expect(['conflict', 'payment-webhook-not-configured']).toContain(
        await codeOf(run(other, 'billing.sign-test', { body })),
      )
    }
  })

  it('show what an event is about, by ids alone', async () => {
    await using scene = await billingScene()
    await scene.send('invoice.paid', invoice('sub_9', { customer_email: 'ann@example.com' }), {
      id: 'evt_shown',
    })
    const shown = await run(scene, 'billing-events.show', { event: 'evt_shown' })
    expect(shown).toMatchObject({
      event: { id: 'evt_shown', state: 'parked', error: 'unknown_subscription', attempts: 1 },
      facts: { subscription_id: 'sub_9', invoice_id: 'in_sub_9', customer_id: 'cus_1' },
    })
    expect(JSON.stringify(shown)).not.toContain('ann@')
    for (const verb of ['show', 'retry', 'resolve'])
      expect(await codeOf(run(scene, `billing-events.${verb}`, { event: 'evt_none' }))).toBe('not-found')
  })

  it('keep the keys of the provider out of the log', async () => {
    await using scene = await billingScene()
    scene.provider.before = () => {
      scene.provider.faults.push(401)
    }
    expect(await codeOf(run(scene, 'billing.checkout', { license: 'shop', tier: 'pro' }))).toBe(
      'payment-provider',
    )
    expect(scene.test.log.text()).toContain('opened no checkout')
  })
})
