import { defaulted, optional } from 'superstruct'
import { unixSeconds } from '../../kernel/clock.ts'
import { present } from '../../kernel/present.ts'
import { flag, listOf, namedShape, oneOf, shape, text, whole } from '../../kernel/validation.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import { PAYMENT_EVENT_STATES, type StoredPaymentEvent } from './payment-event.ts'
import type { PaymentEvents } from './payment-events.ts'

/** The services that operations on payment events use. */
export interface BillingEventUses {
  readonly licenses: Licenses
  readonly paymentEvents: PaymentEvents
}

const operation = operationOf<BillingEventUses>()

const ANY = Number.POSITIVE_INFINITY
const word = text(0, 512)
const count = whole(0, Number.MAX_SAFE_INTEGER)

const event = namedShape('PaymentEvent', {
  id: word,
  type: word,
  state: oneOf(PAYMENT_EVENT_STATES),
  error: optional(word),
  livemode: flag(),
  object_id: word,
  license_id: optional(word),
  attempts: count,
  created_at: count,
  received_at: count,
  next_attempt_at: count,
})
/** An event as operators see it; instants in unix seconds, 0 for never. */
export const paymentEventView = (each: StoredPaymentEvent) => ({
  id: each.id,
  type: each.type,
  state: each.state,
  ...present('error', each.error),
  livemode: each.livemode,
  object_id: each.objectId,
  ...present('license_id', each.licenseId),
  attempts: each.attempts,
  created_at: unixSeconds(each.created),
  received_at: unixSeconds(each.receivedAt),
  next_attempt_at: unixSeconds(each.nextAttemptAt),
})
export type PaymentEventView = ReturnType<typeof paymentEventView>

const FACTS = {
  subscription_id: optional(word),
  session_id: optional(word),
  invoice_id: optional(word),
  customer_id: optional(word),
  charge_id: optional(word),
  payment_id: optional(word),
}
const factsView = ({ facts }: StoredPaymentEvent) =>
  JSON.parse(
    JSON.stringify({
      subscription_id: facts.subscriptionId,
      session_id: facts.sessionId,
      invoice_id: facts.invoiceId,
      customer_id: facts.customerId,
      charge_id: facts.chargeId,
      payment_id: facts.paymentId,
    }),
  ) as { readonly [K in keyof typeof FACTS]?: string }

const settling = (verb: 'retry' | 'resolve', summary: string) =>
  operation({
    name: `billing-events.${verb}`,
    summary,
    permission: 'platform.billing',
    scope: 'platform',
    changes: true,
    input: { event: text(1, 255) },
    answer: { event: event },
    run: async ({ paymentEvents }, input) => ({
      event: paymentEventView(await paymentEvents[verb](input.event)),
    }),
  })

/** Operations on events of the payment provider. */
export const billingEventOperations = [
  operation({
    name: 'billing-events.list',
    summary: 'list events of the payment provider, newest first',
    permission: 'platform.billing',
    scope: 'platform',
    changes: false,
    input: {
      state: optional(oneOf(PAYMENT_EVENT_STATES)),
      license: optional(text(1, 512)),
      limit: defaulted(whole(1, 1000), 100),
    },
    answer: { events: listOf(event, ANY) },
    run: async ({ licenses, paymentEvents }, { state, license, limit }, { scope }) => {
      const licenseId = license === undefined ? undefined : (await licenses.named(scope, license)).id
      const states = state === undefined ? undefined : [state]
      const events = await paymentEvents.list({ states, licenseId, limit })
      return { events: events.map(paymentEventView) }
    },
  }),
  operation({
    name: 'billing-events.show',
    summary: 'show one event of the payment provider, and its subject',
    permission: 'platform.billing',
    scope: 'platform',
    changes: false,
    input: { event: text(1, 255) },
    answer: { event: event, facts: shape(FACTS) },
    run: async ({ paymentEvents }, input) => {
      const found = await paymentEvents.get(input.event)
      return { event: paymentEventView(found), facts: factsView(found) }
    },
  }),
  settling('retry', 'apply a parked or failed event of the payment provider again, at once'),
  settling('resolve', 'set a parked or failed event of the payment provider aside'),
]
