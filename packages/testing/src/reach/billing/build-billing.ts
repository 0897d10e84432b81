import type { Checkout, PaymentEvent, StoredSubscription } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'

/** Returns a paid subscription of the tier `pro` that renews in a month, changed by `fields`. */
export function buildSubscription(fields: Partial<StoredSubscription> = {}): StoredSubscription {
  const clock = new FakeClock()
  return {
    id: buildId('sub'),
    licenseId: 'lic_test',
    customerId: buildId('cus'),
    priceId: 'price_pro',
    tier: 'pro',
    status: 'active',
    cancelAt: undefined,
    endedAt: undefined,
    createdAt: clock.now(),
    currentPeriodEnd: clock.advance({ days: 30 }),
    syncToken: 1,
    liveToken: 1,
    lastEvent: undefined,
    parkedReason: undefined,
    ...fields,
  }
}

/** Returns a checkout of the tier `pro` that is good for an hour. */
export function buildCheckout(
  fields: Partial<Checkout> = {},
): Omit<Checkout, 'sessionId' | 'url' | 'state' | 'reservedAt'> {
  const { licenseId = 'lic_test', tier = 'pro', priceId = 'price_pro', request = 'v1:sealed' } = fields
  const { id = buildId('chk'), expiresAt = new FakeClock().advance({ hours: 1 }) } = fields
  return { id, licenseId, tier, priceId, request, expiresAt }
}

/** Returns an event about a subscription. */
export function buildPaymentEvent(fields: Partial<PaymentEvent> = {}): PaymentEvent {
  return {
    id: buildId('evt'),
    type: 'customer.subscription.updated',
    created: new FakeClock().now(),
    livemode: true,
    objectId: 'sub_1',
    facts: {},
    ...fields,
  }
}
