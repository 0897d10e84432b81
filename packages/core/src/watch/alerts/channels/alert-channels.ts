import type { Log } from '../../../kernel/log.ts'
import type { Delivery, DeliveryOutcome } from '../../../platform/deliveries/delivery.ts'
import { alertView } from '../alert.ts'
import type { AlertAudience, AlertDigest } from './alert-deliveries-store.ts'

/** Announcements that one message lists in full; the message gives only the number of the others. */
export const MAX_DIGEST_ALERTS = 100

/** A digest on its way to its audience. */
export type AlertDelivery = AlertAudience & AlertDigest & Pick<Delivery, 'id' | 'createdAt'>

/** The digest that receivers get. Instants of alerts are in unix seconds. */
export function digestOf(delivery: AlertDelivery) {
  const { notices, createdAt, tenantId } = delivery
  return {
    type: 'alerts.digest',
    timestamp: createdAt.toISOString(),
    data: {
      ...(tenantId === '' ? {} : { tenant_id: tenantId }),
      total: notices.length,
      alerts: notices.slice(0, MAX_DIGEST_ALERTS).map(({ transition, alert }) => ({
        transition,
        ...(alert.licenseId === '' ? {} : { license_id: alert.licenseId }),
        alert: alertView(alert, createdAt),
      })),
    },
  }
}

/** Writes a digest to the log, as one line. */
export function announceInLog(log: Log, delivery: AlertDelivery): DeliveryOutcome {
  const { id, notices } = delivery
  const alerts = notices.slice(0, MAX_DIGEST_ALERTS).map(({ transition, alert }) => {
    const { kind, severity, summary, licenseId } = alert
    return { transition, id: alert.id, kind, severity, summary, licenseId }
  })
  log.warn({ delivery: id, total: notices.length, alerts }, 'alerts')
  return { delivered: true, status: undefined, error: undefined, isFinal: false }
}
