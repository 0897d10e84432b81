import type { Log } from '../../log.ts'
import type { Refusal } from '../../net/refusal.ts'
import { alertView } from '../alert.ts'
import type { AlertDelivery, AlertWebhook } from './alert-deliveries-store.ts'

/** Announcements that one message lists in full; the message gives only the number of the others. */
export const MAX_DIGEST_ALERTS = 100

/** Outcome of sending a message: an HTTP status, or the reason why there is none. */
export interface ChannelOutcome {
  readonly delivered: boolean
  readonly status: number | undefined
  readonly error: Refusal | 'status' | 'no-webhook' | undefined
  /** Whether a retry is useless: the receiver answered that it is gone for good, or no webhook is set. */
  readonly isFinal: boolean
}

/** Port to the webhook of a tenant. */
export interface WebhookChannel {
  /** Sends one signed message and waits for the answer. Never throws for a failure of the receiver. */
  send(message: WebhookMessage): Promise<ChannelOutcome>
}

/** A message to a webhook. */
export interface WebhookMessage extends Pick<AlertWebhook, 'url' | 'secret'> {
  /** Stays the same over all attempts. */
  readonly id: string
  readonly at: Date
  readonly body: string
  readonly signal: AbortSignal | undefined
}

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
export function announceInLog(log: Log, delivery: AlertDelivery): ChannelOutcome {
  const { id, notices } = delivery
  const alerts = notices.slice(0, MAX_DIGEST_ALERTS).map(({ transition, alert }) => {
    const { kind, severity, summary, licenseId } = alert
    return { transition, id: alert.id, kind, severity, summary, licenseId }
  })
  log.warn({ delivery: id, total: notices.length, alerts }, 'alerts')
  return { delivered: true, status: undefined, error: undefined, isFinal: false }
}
