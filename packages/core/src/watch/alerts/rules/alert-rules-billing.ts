import type { StoredPaymentEvent } from '../../../reach/billing/payment-event.ts'
import type { AlertCondition } from './alert-condition.ts'

const SUMMARIES: Readonly<Record<string, string>> = {
  unknown_price: 'a subscription has a price that no tier has',
  ambiguous_price: 'a subscription has the prices of several tiers',
  unknown_status: 'a subscription is in a state that this release does not know',
  unknown_license: 'a subscription is for a license that does not exist',
  license_changed: 'a subscription is for another license than before',
  unknown_subscription: 'the payment provider does not know the subscription of an event',
  duplicate_subscription: 'a license is paid for twice',
  dispute: 'a payment is disputed',
  refund: 'a payment was refunded',
  livemode: "an event of the payment provider's other mode arrived",
  provider_error: 'an event could not be applied, since the payment provider does not answer',
}
const MEANS: Readonly<Record<string, string>> = {
  livemode: 'check PAYMENT_WEBHOOK_SECRET and PAYMENT_ACCEPT_TEST_EVENTS',
}

/**
 * Returns the conditions about events of the payment provider, one for each reason and subject: they hold
 * until a person has settled the events.
 */
export const billingConditions = (events: readonly StoredPaymentEvent[]): AlertCondition[] =>
  events.map(({ id, type, error = '', licenseId = '', objectId, facts }) => {
    const isDouble = error === 'duplicate_subscription'
    const what = SUMMARIES[error] ?? 'an event of the payment provider could not be applied'
    const subject = facts.subscriptionId ?? objectId
    return {
      licenseId,
      tenantId: undefined,
      dedupKey: `payment_event:${error}:${subject}`,
      kind: isDouble ? 'duplicate_subscription' : 'payment_event',
      severity: isDouble || error === 'dispute' ? 'critical' : 'warning',
      summary: `${what}: ${MEANS[error] ?? `svc billing events show ${id}`}`,
      host: undefined,
      details: { event_id: id, type, reason: error, object_id: objectId },
    }
  })
