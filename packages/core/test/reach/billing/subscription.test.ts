import { describe, expect, it } from '@jest/globals'
import type { StoredSubscription } from '@svc/core/ports'
import { buildSubscription, FakeClock } from '@svc/testing'
import type { License } from '../../../src/people/licenses/license.ts'
import { billed } from '../../../src/reach/billing/license-billing.ts'
import { governing, isAfter, settled, tierOf } from '../../../src/reach/billing/subscription.ts'

const clock = new FakeClock()
const now = clock.now()
const days = (count: number) => new Date(now.getTime() + count * 86_400_000)
const PERIOD_END = days(30)
const FORMER = days(3)

const license = (fields: Partial<License> = {}): License => ({
  id: 'lic_1',
  tenantId: undefined,
  label: '',
  status: 'active',
  statusReason: undefined,
  expiresAt: FORMER,
  createdAt: now,
  tier: 'starter',
  contactEmail: undefined,
  billingState: undefined,
  currentPeriodEnd: undefined,
  agentOnly: false,
  customerId: undefined,
  ...fields,
})
const after = (of: License, fields: Partial<StoredSubscription>) =>
  billed(of, buildSubscription({ currentPeriodEnd: PERIOD_END, ...fields }), { graceDays: 14, now })

describe('a license after what its subscription says', () => {
  const unpaid = { status: 'suspended', statusReason: 'billing', expiresAt: FORMER }
  it.each([
    ['trialing', {}, { status: 'active', billingState: 'active', expiresAt: days(44), tier: 'pro' }],
    ['active', {}, { status: 'active', billingState: 'active', expiresAt: days(44), tier: 'pro' }],
    [
      'active',
      { cancelAt: PERIOD_END },
      { status: 'active', billingState: 'canceling', expiresAt: PERIOD_END },
    ],
    ['active', { cancelAt: days(9) }, { status: 'active', billingState: 'canceling', expiresAt: days(9) }],
    ['past_due', {}, { status: 'active', billingState: 'past_due', expiresAt: days(44) }],
    ['unpaid', {}, { ...unpaid, billingState: 'unpaid', tier: 'pro' }],
    ['paused', {}, { ...unpaid, billingState: 'paused' }],
    ['incomplete_expired', {}, { ...unpaid, billingState: 'unpaid', tier: 'starter' }],
    ['canceled', { endedAt: now }, { ...unpaid, billingState: 'canceled', expiresAt: now }],
    ['canceled', { endedAt: days(1) }, { status: 'active', billingState: 'canceled', expiresAt: days(1) }],
    ['incomplete', {}, { status: 'active', billingState: 'incomplete', expiresAt: FORMER, tier: 'starter' }],
  ] as const)('%s %j', (status, fields, expected) => {
    expect(after(license(), { status, ...fields })).toMatchObject(expected)
  })

  it('is suspended for billing and lifted by billing', () => {
    const suspended = license({ status: 'suspended', statusReason: 'billing' })
    expect(after(suspended, { status: 'active' })).toMatchObject({
      status: 'active',
      statusReason: undefined,
    })
    expect(after(suspended, { status: 'past_due' })).toMatchObject({ status: 'active' })
  })

  it.each([
    ['revoked', 'operator'],
    ['revoked', undefined],
    ['suspended', 'operator'],
    ['suspended', undefined],
  ] as const)('%s by %s stays so, whatever the subscription does', (status, statusReason) => {
    const held = license({ status, statusReason })
    for (const each of ['active', 'past_due', 'unpaid', 'canceled', 'paused'] as const)
      expect(after(held, { status: each })).toMatchObject({ status, statusReason })
  })

  it('an operator who lets it in again is not overruled until it is paid', () => {
    const held = license({ statusReason: 'operator' })
    expect(after(held, { status: 'unpaid' })).toMatchObject({ status: 'active', statusReason: 'operator' })
    expect(after(held, { status: 'active' })).toMatchObject({ status: 'active', statusReason: undefined })
  })
})

describe('subscriptions of one license', () => {
  const sub = (id: string, fields: Partial<StoredSubscription> = {}) => buildSubscription({ id, ...fields })
  const reasons = (...all: StoredSubscription[]) =>
    Object.fromEntries(settled(all).map(({ id, parkedReason }) => [id, parkedReason]))

  it('the one that was live first counts, and the other as soon as that has ended', () => {
    const [one, two] = [sub('a', { liveToken: 9 }), sub('b', { liveToken: 3 })]
    expect(reasons(one, two)).toEqual({ a: 'duplicate_subscription', b: undefined })
    const ended = { ...two, status: 'canceled' as const }
    expect(reasons({ ...one, parkedReason: 'duplicate_subscription' }, ended)).toEqual({
      a: undefined,
      b: undefined,
    })
  })

  it('one with a price that no tier has keeps no other from counting', () => {
    const bad = sub('a', { liveToken: 1, parkedReason: 'unknown_price' })
    expect(reasons(bad, sub('b', { liveToken: 2 }))).toEqual({ a: 'unknown_price', b: undefined })
  })

  it('a license stands by its live one, else by its newest, in whatever order they come', () => {
    const live = sub('a', { createdAt: days(1) })
    const [old, newer] = [
      sub('b', { status: 'canceled', createdAt: days(2) }),
      sub('c', { status: 'unpaid', createdAt: days(3) }),
    ]
    const tried = sub('d', { status: 'incomplete', createdAt: days(9) })
    const parked = sub('e', { parkedReason: 'duplicate_subscription' })
    expect(governing([parked, old, live, newer])?.id).toBe('a')
    for (const all of [
      [old, newer, tried],
      [tried, newer, old],
      [newer, tried, old],
    ])
      expect(governing(all)?.id).toBe('c')
    expect(governing([tried])?.id).toBe('d')
    expect(governing([parked])).toBeUndefined()
  })

  it('the tier comes from the price alone, and from one tier', () => {
    const prices = { price_a: 'starter', price_b: 'pro', price_c: 'pro' }
    const tier = (...priceIds: string[]) => {
      const items = priceIds.map((priceId) => ({ priceId, currentPeriodEnd: undefined }))
      return tierOf({ items }, prices)
    }
    expect(tier('price_x', 'price_b')).toMatchObject({ tier: 'pro', priceId: 'price_b' })
    expect(tier('price_c', 'price_b')).toMatchObject({ tier: 'pro' })
    expect(tier('price_a', 'price_b')).toBe('ambiguous_price')
    for (const none of [tier(), tier('price_x'), tier('toString'), tier('__proto__')])
      expect(none).toBe('unknown_price')
  })

  it('the period is that of the item with the tier, of several the last', () => {
    const prices = { price_b: 'pro', price_c: 'pro' }
    const support = { priceId: 'price_x', currentPeriodEnd: days(365) }
    const month = { priceId: 'price_b', currentPeriodEnd: days(30) }
    const week = { priceId: 'price_c', currentPeriodEnd: days(7) }
    const timeless = { priceId: 'price_b', currentPeriodEnd: undefined }
    for (const [items, end] of [
      [[support, month], days(30)],
      [[month, week], days(30)],
      [[week, timeless, month, support], days(30)],
      [[timeless, support], undefined],
    ] as const)
      expect(tierOf({ items }, prices)).toMatchObject({ tier: 'pro', currentPeriodEnd: end })
  })

  it('an event comes after the last one by its second, then by its rank', () => {
    const last = { createdAt: now, rank: 1 }
    expect(isAfter(last, undefined)).toBe(true)
    expect(isAfter({ createdAt: days(1), rank: 0 }, last)).toBe(true)
    expect(isAfter({ createdAt: now, rank: 2 }, last)).toBe(true)
    expect(isAfter({ createdAt: now, rank: 1 }, last)).toBe(false)
    expect(isAfter({ createdAt: days(-1), rank: 2 }, last)).toBe(false)
  })
})
