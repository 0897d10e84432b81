import type { Metrics } from '../metrics/metrics.ts'
import { ALERT_SEVERITIES, ALERT_STATUSES } from './alert.ts'
import { ALERT_CHANNELS, type AlertChannelName } from './alert-deliveries-store.ts'
import type { AlertCounts } from './alerts-store.ts'

/** `svc_alerts`, from whatever sample there is at a scrape. */
export function registerAlertGauge(metrics: Metrics, sample: () => Promise<AlertCounts | undefined>): void {
  const labels = { status: ALERT_STATUSES, severity: ALERT_SEVERITIES }
  metrics.gauge('svc_alerts', 'Alerts by status and severity.', labels, async (gauge) => {
    const counts = await sample()
    for (const status of ALERT_STATUSES) {
      for (const severity of ALERT_SEVERITIES) {
        gauge.set({ status, severity }, counts?.get(`${status} ${severity}`) ?? 0)
      }
    }
  })
}

const OUTCOMES = ['sent', 'retried', 'failed'] as const

/** What became of attempts to announce alerts. */
export class AlertMetrics {
  readonly #deliveries

  constructor(metrics: Metrics) {
    const labels = { channel: ALERT_CHANNELS, outcome: OUTCOMES }
    const help = 'Attempts to deliver a digest of alerts: failed ones are given up, retried ones come again.'
    this.#deliveries = metrics.counter('svc_alert_deliveries_total', help, labels)
  }

  delivery(channel: AlertChannelName, outcome: (typeof OUTCOMES)[number]): void {
    this.#deliveries.inc({ channel, outcome })
  }
}
