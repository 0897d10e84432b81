import type { Metrics } from '../../platform/metrics/metrics.ts'

const EVENTS = ['applied', 'ignored', 'parked', 'failed', 'duplicate', 'refused'] as const
/** The outcome of an event, as metrics count it. */
export type CountedEvent = (typeof EVENTS)[number]

const CHECKOUTS = ['opened', 'reused', 'refused', 'failed'] as const
/** The outcome of a request for a checkout, as metrics count it. */
export type CountedCheckout = (typeof CHECKOUTS)[number]

/** The families of billing. */
export class BillingMetrics {
  readonly #events
  readonly #checkouts

  constructor(metrics: Metrics) {
    const events = 'Events of the payment provider, by outcome.'
    this.#events = metrics.counter('svc_payment_events_total', events, { outcome: EVENTS })
    const checkouts = 'Checkouts that licenses asked for, by outcome.'
    this.#checkouts = metrics.counter('svc_billing_checkouts_total', checkouts, { outcome: CHECKOUTS })
  }

  event(outcome: CountedEvent): void {
    this.#events.inc({ outcome })
  }

  checkout(outcome: CountedCheckout): void {
    this.#checkouts.inc({ outcome })
  }
}
