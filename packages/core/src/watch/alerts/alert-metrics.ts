import type { Metrics } from '../../platform/metrics/metrics.ts'
import { ALERT_KINDS, ALERT_SEVERITIES, ALERT_STATUSES, type AlertKind } from './alert.ts'
import type { AlertCounts } from './alerts-store.ts'
import { ALERT_CHANNELS, type AlertChannelName } from './channels/alert-deliveries-store.ts'

/** Registers `svc_alerts`. Each scrape shows the counts of the sample, or 0 without one. */
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

/** Counters of opened alerts and of attempts to deliver announcements. */
export class AlertMetrics {
  readonly #deliveries
  readonly #opened

  constructor(metrics: Metrics) {
    const labels = { channel: ALERT_CHANNELS, outcome: OUTCOMES }
    const help = 'Attempts to deliver a digest of alerts: failed ones are given up, retried ones come again.'
    this.#deliveries = metrics.counter('svc_alert_deliveries_total', help, labels)
    const openings = 'Alerts that ticks of this replica opened, those that came back included.'
    this.#opened = metrics.counter('svc_alerts_opened_total', openings, { kind: ALERT_KINDS })
  }

  opened(kind: AlertKind): void {
    this.#opened.inc({ kind })
  }

  delivery(channel: AlertChannelName, outcome: (typeof OUTCOMES)[number]): void {
    this.#deliveries.inc({ channel, outcome })
  }
}
