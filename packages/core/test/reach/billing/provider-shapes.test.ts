import { describe, expect, it } from '@jest/globals'
import { readEvent, readSubscription } from '../../../src/reach/billing/provider-shapes.ts'

const END = 1_770_278_400

const subscription = (fields: object = {}) => ({
  id: 'sub_1',
  object: 'subscription',
  customer: 'cus_1',
  created: 1_767_600_000,
  status: 'active',
  cancel_at: null,
  cancel_at_period_end: false,
  ended_at: null,
  metadata: { license_id: 'lic_1', tier: 'gold' },
  items: { data: [{ price: { id: 'price_pro' }, current_period_end: END }] },
  ...fields,
})

describe('a subscription of the provider', () => {
  const expected = {
    id: 'sub_1',
    licenseId: 'lic_1',
    customerId: 'cus_1',
    status: 'active',
    cancelAt: undefined,
    currentPeriodEnd: new Date(END * 1000),
    endedAt: undefined,
    createdAt: new Date(1_767_600_000_000),
    items: [{ priceId: 'price_pro', currentPeriodEnd: new Date(END * 1000) }],
  }

  it('has the end of its period on its items, and before March 2025 on itself', () => {
    expect(readSubscription(subscription())).toEqual(expected)
    const acacia = subscription({
      current_period_end: END,
      items: { data: [{ price: { id: 'price_pro' } }] },
    })
    const items = [{ priceId: 'price_pro', currentPeriodEnd: undefined }]
    expect(readSubscription(acacia)).toEqual({ ...expected, items })
  })

  it('ends its period with the last of its items', () => {
    const item = (id: string, end: number) => ({ price: { id }, current_period_end: end })
    const items = { data: [item('price_a', END), item('price_b', END + 9)] }
    expect(readSubscription(subscription({ items }))).toMatchObject({
      currentPeriodEnd: new Date((END + 9) * 1000),
      items: [
        { priceId: 'price_a', currentPeriodEnd: new Date(END * 1000) },
        { priceId: 'price_b', currentPeriodEnd: new Date((END + 9) * 1000) },
      ],
    })
  })

  it.each([
    ['active', { behavior: 'void', resumes_at: null }, 'paused'],
    ['past_due', { behavior: 'void', resumes_at: END }, 'paused'],
    ['trialing', { behavior: 'void' }, 'paused'],
    ['canceled', { behavior: 'void' }, 'canceled'],
    ['active', { behavior: 'keep_as_draft' }, 'active'],
    ['active', { behavior: 'mark_uncollectible' }, 'active'],
    ['active', null, 'active'],
  ])('that is %s, of which payments are paused like %j, is %s', (status, pause_collection, expected) => {
    expect(readSubscription(subscription({ status, pause_collection }))?.status).toBe(expected)
  })

  it('is going to be canceled on a day, or at the end of its period', () => {
    expect(readSubscription(subscription({ cancel_at: END - 5 }))?.cancelAt).toEqual(
      new Date((END - 5) * 1000),
    )
    const atEnd = readSubscription(subscription({ cancel_at_period_end: true }))
    expect(atEnd?.cancelAt).toEqual(new Date(END * 1000))
  })

  it('has a customer as an id or in full', () => {
    expect(readSubscription(subscription({ customer: { id: 'cus_1', email: 'ann@example.com' } }))).toEqual(
      expected,
    )
  })

  it.each([
    ['nothing', undefined],
    ['a list', []],
    ['another object', subscription({ object: 'invoice' })],
    ['no customer', subscription({ customer: null })],
    ['an id with a quote', subscription({ id: "sub_1'--" })],
    ['a time of long ago', subscription({ created: -1 })],
    ['a status that is no text', subscription({ status: 7 })],
  ])('is none: %s', (_, value) => {
    expect(readSubscription(value)).toBeUndefined()
  })

  it('takes no license from a prototype', () => {
    const poisoned = JSON.parse('{"metadata": {"__proto__": {"license_id": "lic_2"}}}')
    expect(readSubscription({ ...subscription(), ...poisoned })?.licenseId).toBeUndefined()
    const long = readSubscription(subscription({ metadata: { license_id: 'x'.repeat(300) } }))
    expect(long?.licenseId).toBeUndefined()
  })
})

describe('an event of the provider', () => {
  const event = (object: object, fields: object = {}) => ({
    id: 'evt_1',
    object: 'event',
    type: 'invoice.paid',
    created: 1_767_603_600,
    livemode: true,
    data: { object },
    ...fields,
  })
  const factsOf = (object: object) => readEvent(event(object))?.facts

  it('of an invoice is about its subscription, wherever the version of the API puts it', () => {
    const base = { id: 'in_1', object: 'invoice', customer: 'cus_1' }
    const line = { parent: { subscription_item_details: { subscription: 'sub_1' } } }
    for (const fields of [
      { parent: { subscription_details: { subscription: 'sub_1' } } },
      { subscription: 'sub_1' },
      { subscription: { id: 'sub_1', object: 'subscription' } },
      { parent: null, lines: { data: [{ parent: null }, line] } },
      { lines: { data: [{ subscription: 'sub_1' }] } },
    ])
      expect(factsOf({ ...base, ...fields })).toEqual({
        customerId: 'cus_1',
        invoiceId: 'in_1',
        subscriptionId: 'sub_1',
      })
    expect(factsOf(base)).toMatchObject({ subscriptionId: undefined })
  })

  it('of a session is about its subscription', () => {
    const session = { id: 'cs_1', object: 'checkout.session', subscription: 'sub_1', customer: null }
    expect(factsOf(session)).toEqual({ customerId: undefined, sessionId: 'cs_1', subscriptionId: 'sub_1' })
  })

  it('of a dispute or a refund is about a charge and its payment', () => {
    const dispute = { id: 'dp_1', object: 'dispute', charge: 'ch_1', payment_intent: 'pi_1' }
    expect(factsOf(dispute)).toEqual({ customerId: undefined, chargeId: 'ch_1', paymentId: 'pi_1' })
    const charge = { id: 'ch_1', object: 'charge', customer: 'cus_1', payment_intent: { id: 'pi_1' } }
    expect(factsOf(charge)).toEqual({ customerId: 'cus_1', chargeId: 'ch_1', paymentId: 'pi_1' })
    expect(factsOf({ ...charge, payment_intent: null })).toMatchObject({ paymentId: undefined })
  })

  it('keeps no card, name, email or address', () => {
    const personal = {
      customer_details: { email: 'ann@example.com', name: 'Ann', address: { line1: 'Main Street' } },
      payment_method_details: { card: { last4: '4242' } },
      customer_email: 'ann@example.com',
    }
    const kept = JSON.stringify([
      readEvent(event({ id: 'cs_1', object: 'checkout.session', ...personal })),
      readEvent(event({ ...subscription(), ...personal })),
      readEvent(event({ id: 'ch_1', object: 'charge', customer: { id: 'cus_1', ...personal }, ...personal })),
    ])
    for (const word of ['ann@', 'Ann', 'Main', '4242']) expect(kept).not.toContain(word)
  })

  it.each([
    ['no object', 7],
    ['a thin event', event({}, { object: 'v2.core.event' })],
    ['no id', event({}, { id: undefined })],
    ['an id with a slash', event({}, { id: 'evt/1' })],
    ['no type', event({}, { type: undefined })],
    ['a type with a quote', event({}, { type: "x'" })],
    ['no time', event({}, { created: undefined })],
    ['a time with a fraction', event({}, { created: 1.5 })],
  ])('is none: %s', (_, value) => {
    expect(readEvent(value)).toBeUndefined()
  })

  it('without a mode is of the test mode', () => {
    expect(readEvent(event({}, { livemode: 'true' }))?.livemode).toBe(false)
  })
})
