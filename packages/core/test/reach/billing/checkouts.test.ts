import { describe, expect, it } from '@jest/globals'
import { counted } from '../../../../../test/support/counted.ts'
import { invoice } from '../../../../../test/support/payment-provider.ts'
import type { CheckoutInput } from '../../../src/reach/billing/checkout-input.ts'
import { type BillingScene, billingScene, codeOf } from './billing-scene.ts'

const open = (scene: BillingScene, fields: Partial<CheckoutInput> = {}) =>
  scene.test.plane.checkouts.open({ licenseId: scene.licenseId, tier: 'pro', ...fields })
const created = (scene: BillingScene) =>
  scene.provider.calls.filter(({ path }) => path === '/v1/checkout/sessions')

describe('a checkout', () => {
  it('opens a session for the price of the tier, with the license on the session and on its subscription', async () => {
    await using scene = await billingScene()
    const opened = await open(scene, { email: 'ann@example.com' })
    const [call] = created(scene)
    expect(opened).toEqual({
      id: expect.stringMatching(/^chk_[a-z0-9]{26}$/),
      sessionId: 'cs_1',
      url: 'https://checkout.stripe.com/c/pay/cs_1',
      tier: 'pro',
      expiresAt: new Date(+scene.test.clock.now() + 3_600_000),
      isReused: false,
    })
    expect(call?.idempotencyKey).toBe(`svc-${opened.id}`)
    expect(call?.form).toEqual({
      mode: 'subscription',
      'line_items[0][price]': 'price_pro',
      'line_items[0][quantity]': '1',
      client_reference_id: scene.licenseId,
      'metadata[license_id]': scene.licenseId,
      'metadata[tier]': 'pro',
      'metadata[checkout_id]': opened.id,
      'subscription_data[metadata][license_id]': scene.licenseId,
      success_url: 'https://panel.example.com/billing/success?session_id={CHECKOUT_SESSION_ID}',
      cancel_url: 'https://panel.example.com/billing/cancel',
      expires_at: String(+opened.expiresAt / 1000),
      customer_email: 'ann@example.com',
    })
    expect(await scene.test.storage.licenses.get(scene.licenseId)).toMatchObject({
      contactEmail: 'ann@example.com',
    })
    expect(await counted(scene.test.plane, 'svc_billing_checkouts_total')).toEqual({
      '{outcome="opened"}': 1,
    })
  })

  it('stores its page and what was asked for sealed', async () => {
    await using scene = await billingScene()
    const { id } = await open(scene, { email: 'ann@example.com' })
    const stored = await scene.test.storage.billing.checkout(id)
    expect(stored).toMatchObject({
      url: expect.stringMatching(/^v1:/),
      request: expect.stringMatching(/^v1:/),
    })
  })

  it('is the same while it is good, and a new one afterwards', async () => {
    await using scene = await billingScene()
    const first = await open(scene)
    expect(await open(scene)).toEqual({ ...first, isReused: true })
    scene.test.clock.advance({ hours: 1 })
    const second = await open(scene)
    expect(second).toMatchObject({ isReused: false })
    expect(second.id).not.toBe(first.id)
    expect(created(scene)).toHaveLength(2)
  })

  it('of two at once one session is made, and the other gets its page or is told to wait', async () => {
    await using scene = await billingScene()
    const answers = await Promise.all([1, 2, 3, 4].map(() => codeOf(open(scene))))
    expect(scene.provider.sessions.size).toBe(1)
    const [{ url }] = answers.filter((each) => typeof each === 'object') as [{ url: string }]
    for (const each of answers)
      expect(['checkout-in-progress', expect.objectContaining({ url })]).toContainEqual(each)
  })

  it('for another tier ends the session of the first one', async () => {
    await using scene = await billingScene()
    const first = await open(scene)
    const second = await open(scene, { tier: 'starter' })
    expect(second).toMatchObject({ tier: 'starter', isReused: false })
    expect(scene.provider.sessions.get(first.sessionId)).toMatchObject({ status: 'expired' })
    expect(scene.provider.sessions.get(second.sessionId)).toMatchObject({ status: 'open' })
  })

  it('for another tier waits when the first one is paid already', async () => {
    await using scene = await billingScene()
    const { sessionId } = await open(scene)
    const paid = scene.provider.pay(sessionId, 'price_pro')
    expect(await codeOf(open(scene, { tier: 'starter' }))).toBe('checkout-in-progress')
    expect(scene.provider.sessions.size).toBe(1)
    await scene.send('checkout.session.completed', paid)
    const refusal = await open(scene, { tier: 'starter' }).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'already-subscribed', data: { tier: 'pro' } })
  })

  it('is refused while the license is subscribed, and possible again when that has ended', async () => {
    await using scene = await billingScene()
    const { sessionId } = await open(scene)
    await scene.send('checkout.session.completed', scene.provider.pay(sessionId, 'price_pro'))
    expect(await scene.license()).toMatchObject({ tier: 'pro', status: 'active' })
    expect(await codeOf(open(scene))).toBe('already-subscribed')
    for (const status of ['past_due', 'unpaid', 'canceled']) {
      const [id] = scene.provider.subscriptions.keys()
      await scene.send('customer.subscription.updated', scene.provider.change(String(id), { status }))
      if (status === 'past_due') expect(await codeOf(open(scene))).toBe('already-subscribed')
      else expect(await open(scene)).toMatchObject({ tier: 'pro' })
    }
    // The customer is known by now, so that the provider keeps one of them.
    expect(created(scene).at(-1)?.form).toMatchObject({ customer: expect.stringMatching(/^cus_/) })
  })

  it('of a license that is suspended for billing can be opened, and lets it in again', async () => {
    await using scene = await billingScene()
    const { plane } = scene.test
    const gone = scene.subscribe({ status: 'canceled', more: { ended_at: 1_767_603_000 } })
    await scene.send('customer.subscription.deleted', gone)
    expect(await plane.licenses.validate(scene.key)).toBeUndefined()
    const { sessionId } = await open(scene, { licenseId: await plane.billing.holderOf(scene.key) })
    scene.provider.pay(sessionId, 'price_starter')
    await scene.send('invoice.paid', invoice([...scene.provider.subscriptions.keys()].at(-1) ?? ''))
    expect(await scene.license()).toMatchObject({ tier: 'starter', status: 'active', billingState: 'active' })
    expect(await plane.licenses.validate(scene.key)).toBeDefined()
  })

  it('that got no answer is asked for again with the same key, and makes no second session', async () => {
    await using scene = await billingScene()
    scene.provider.faults.push(500, 500, 500)
    expect(await codeOf(open(scene))).toBe('payment-provider')
    expect(await codeOf(open(scene))).toBe('checkout-in-progress')
    scene.test.clock.advance({ seconds: 60 })
    const opened = await open(scene)
    const keys = new Set(created(scene).map(({ idempotencyKey }) => idempotencyKey))
    expect([...keys]).toEqual([`svc-${opened.id}`])
    expect(new Set(created(scene).map(({ form }) => JSON.stringify(form))).size).toBe(1)
  })

  it('that got no answer is finished before one for another tier is made', async () => {
    await using scene = await billingScene()
    scene.provider.faults.push(500, 500, 500)
    expect(await codeOf(open(scene))).toBe('payment-provider')
    scene.test.clock.advance({ seconds: 60 })
    expect(await open(scene, { tier: 'starter' })).toMatchObject({ tier: 'starter' })
    const states = [...scene.provider.sessions.values()].map(({ status }) => status)
    expect(states).toEqual(['expired', 'open'])
  })

  it('is answered by the third attempt at the latest, under one key', async () => {
    await using scene = await billingScene()
    scene.provider.faults.push(500, 500)
    const { id } = await open(scene)
    expect(created(scene).map(({ idempotencyKey }) => idempotencyKey)).toEqual(Array(3).fill(`svc-${id}`))
  })

  it('that the provider refuses is forgotten, and what it said stands in the log alone', async () => {
    await using scene = await billingScene()
    scene.provider.faults.push(400)
    const refusal = await open(scene).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'payment-provider', message: 'payment-provider' })
    expect(scene.test.log.text()).toContain('on purpose')
    expect(await open(scene)).toMatchObject({ isReused: false })
  })

  it('ends with its session', async () => {
    await using scene = await billingScene()
    const { id, sessionId } = await open(scene)
    const session = scene.provider.sessions.get(sessionId) ?? {}
    const state = async () => (await scene.test.storage.billing.checkout(id))?.state
    await scene.send('checkout.session.expired', { ...session, status: 'expired' })
    expect(await state()).toBe('expired')
    await scene.send('checkout.session.completed', scene.provider.pay(sessionId, 'price_pro'))
    expect(await state()).toBe('completed')
    await scene.send('checkout.session.expired', { ...session, status: 'expired' })
    expect(await state()).toBe('completed')
    const late = { ...scene.provider.sessions.get(sessionId) }
    await scene.send('checkout.session.async_payment_failed', late)
    expect(await state()).toBe('failed')
  })

  it('finds its license by the session when the subscription names none', async () => {
    await using scene = await billingScene()
    const { sessionId } = await open(scene)
    const paid = scene.provider.pay(sessionId, 'price_pro')
    scene.provider.change(String(paid.subscription), { metadata: {} })
    await scene.send('checkout.session.completed', paid)
    expect(await scene.license()).toMatchObject({ tier: 'pro', billingState: 'active' })
  })
})

describe('a checkout that is asked for badly', () => {
  it.each([
    ['https://evil.test/'],
    ['https://panel.example.com@evil.test/'],
    ['https://evil.test\\@panel.example.com/'],
    ['https://panel.example.com.evil.test/'],
    ['https://panel.example.com:8443/'],
    ['http://panel.example.com/'],
    ['//panel.example.com/'],
    ['javascript:alert(1)'],
    ['data:text/html,x'],
    ['https://ann:secret@panel.example.com/'],
    ['https://panel.example.com/\tx'],
    ['https://panel.example.com/ü'],
    [' https://panel.example.com/'],
    [`https://panel.example.com/${'x'.repeat(2048)}`],
    ['panel.example.com'],
    [''],
  ])('does not lead back to %j', async (url) => {
    await using scene = await billingScene()
    for (const field of ['successUrl', 'cancelUrl'] as const)
      expect(await codeOf(open(scene, { [field]: url }))).toBe('invalid-input')
    expect(scene.provider.calls).toEqual([])
    expect(await scene.test.storage.billing.liveCheckout(scene.licenseId)).toBeUndefined()
  })

  it('leads back to sites of the settings', async () => {
    await using scene = await billingScene({
      env: { BILLING_RETURN_ORIGINS: 'https://shop.example, https://b.example:8443' },
    })
    const [successUrl, cancelUrl] = [
      'https://shop.example/done?x={CHECKOUT_SESSION_ID}',
      'https://b.example:8443/',
    ]
    await open(scene, { successUrl, cancelUrl })
    expect(created(scene)[0]?.form).toMatchObject({ success_url: successUrl, cancel_url: cancelUrl })
    expect(await codeOf(open(scene, { successUrl: 'https://panel.example.com/' }))).toBe('invalid-input')
  })

  it.each(['ann', 'ann@example', 'Ann <ann@example.com>', 'a@b.com,c@d.com', 'ann@example.com\n', ''])(
    'is for one address, not %j',
    async (email) => {
      await using scene = await billingScene()
      expect(await codeOf(open(scene, { email }))).toBe('invalid-input')
    },
  )

  it.each(['gold', '', 'PRO', '__proto__', 'toString'])(
    'is for a tier that is for sale, not %j',
    async (tier) => {
      await using scene = await billingScene()
      const refusal = await open(scene, { tier }).catch((error: unknown) => error)
      expect(refusal).toMatchObject({ data: { details: ['tier: must be one of starter, pro'] } })
    },
  )

  it.each([
    [{ PAYMENT_SECRET_KEY: undefined }, ['PAYMENT_SECRET_KEY']],
    [{ PAYMENT_ACCEPT_TEST_EVENTS: 'false' }, ['PAYMENT_SECRET_KEY']],
    [{ PAYMENT_PRICE_PRO: undefined, PAYMENT_PRICE_STARTER: undefined }, ['PAYMENT_PRICE_<TIER>']],
    [{ PAYMENT_PRICE_TEAM: 'price_pro' }, ['PAYMENT_PRICE_<TIER>']],
    [{ PAYMENT_PRICE_TEAM: 'prod_1' }, ['PAYMENT_PRICE_<TIER>']],
    [{ PAYMENT_SECRET_KEY: 'pk_live_1234567890' }, ['PAYMENT_SECRET_KEY']],
    [{ PAYMENT_API_BASE: 'http://10.0.0.1/' }, ['PAYMENT_API_BASE']],
    [{ PAYMENT_API_BASE: 'https://evil.test' }, ['PAYMENT_API_BASE']],
    [{ SERVICE_PUBLIC_URL: undefined }, ['SERVICE_PUBLIC_URL']],
  ])('is closed with %j', async (env, missing) => {
    await using scene = await billingScene({ env })
    const refusal = await open(scene).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'billing-not-configured', data: { missing } })
    expect(scene.provider.calls).toEqual([])
  })

  it('is refused for a key that was never issued, and for a bad one', async () => {
    await using scene = await billingScene({ env: { SERVICE_LICENSE_KEYS: 'listed-key' } })
    const { billing, licenses } = scene.test.plane
    expect(await codeOf(billing.holderOf('listed-key'))).toBe('not-billable')
    expect(await codeOf(billing.holderOf('stranger'))).toBe('unauthorized')
    await licenses.extend(scene.licenseId, new Date(0))
    expect(await billing.holderOf(scene.key)).toBe(scene.licenseId)
    expect(await codeOf(open(scene, { licenseId: 'lic_none' }))).toBe('not-billable')
  })
})
