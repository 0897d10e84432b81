import type { Log } from '../log.ts'
import type { Refusal } from '../net/refusal.ts'
import { alertView } from './alert.ts'
import type { AlertDelivery, AlertWebhook } from './alert-deliveries-store.ts'

/** Announcements that one message spells out; the rest is counted. */
export const MAX_DIGEST_ALERTS = 100

/** What became of a message: an HTTP status, or the reason why there is none. */
export interface ChannelOutcome {
  readonly delivered: boolean
  readonly status: number | undefined
  readonly error: Refusal | 'status' | 'no-webhook' | undefined
  /** Trying again is no use: the receiver said that it is gone for good. */
  readonly isFinal: boolean
}

/** Port to a receiver that a tenant chose. */
export interface WebhookChannel {
  /** Sends one signed message and waits for the answer. Never throws for what the far side does. */
  send(message: WebhookMessage): Promise<ChannelOutcome>
}

/** A message to a webhook. */
export interface WebhookMessage extends Pick<AlertWebhook, 'url' | 'secret'> {
  /** The same at each attempt. */
  readonly id: string
  readonly at: Date
  readonly body: string
  readonly signal: AbortSignal | undefined
}

/** What happened, as receivers read it. Instants of alerts in unix seconds. */
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

/** Writes a digest to the log: one line. */
export function announceInLog(log: Log, delivery: AlertDelivery): ChannelOutcome {
  const { id, notices } = delivery
  const alerts = notices.slice(0, MAX_DIGEST_ALERTS).map(({ transition, alert }) => {
    const { kind, severity, summary, licenseId } = alert
    return { transition, id: alert.id, kind, severity, summary, licenseId }
  })
  log.warn({ delivery: id, total: notices.length, alerts }, 'alerts')
  return { delivered: true, status: undefined, error: undefined, isFinal: false }
}
