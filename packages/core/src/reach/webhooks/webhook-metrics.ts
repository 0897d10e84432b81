import type { AttemptState } from '../../platform/deliveries/delivery-sender.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'

const OUTCOMES = ['sent', 'retried', 'failed'] as const

/** Counters of webhooks. */
export class WebhookMetrics {
  readonly #attempts
  readonly #disabled

  constructor(metrics: Metrics) {
    const help =
      'Attempts to deliver a message to an endpoint: failed ones are given up, retried ones come again.'
    this.#attempts = metrics.counter('svc_webhook_deliveries_total', help, { outcome: OUTCOMES })
    const ends = 'Endpoints that this replica disabled since they failed for too long or are gone.'
    this.#disabled = metrics.counter('svc_webhook_endpoints_disabled_total', ends, {})
  }

  attempted(state: AttemptState): void {
    this.#attempts.inc({ outcome: state === 'due' ? 'retried' : state })
  }

  disabled(): void {
    this.#disabled.inc({})
  }
}
