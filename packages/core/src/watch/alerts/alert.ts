import { unixSeconds } from '../../kernel/clock.ts'
import { present, presentSeconds } from '../../kernel/present.ts'
import { agentId } from '../../work/agents/agent.ts'
import type { AlertDetails } from './alert-details.ts'

/** Kinds of alerts. */
export const ALERT_KINDS = [
  'host_offline',
  'host_stopped',
  'disk_high',
  'mem_high',
  'cpu_high',
  'backup_stale',
  'backup_failed',
  'drill_stale',
  'drill_failed',
  'job_failed',
  'job_lost',
  'cancel_unconfirmed',
  'license_expiring',
  'rate_limited_fleet',
  'fingerprint_collision',
  'agent_key_mismatch',
  'monitor_drift',
  'dns_unreachable',
  'webhook_endpoint_disabled',
  'surface_finding',
  'security_drift',
  'app_down',
  'app_restarts',
  'app_drift',
  'cron_failed',
  'certificate_ending',
  'scheduler_stalled',
  'payment_event',
  'duplicate_subscription',
  'provider_token_invalid',
  'provider_protocol_error',
  'multiple_servers',
  'server_delete_slow',
  'server_kept',
] as const
export type AlertKind = (typeof ALERT_KINDS)[number]

/** Severities of alerts, worst first. */
export const ALERT_SEVERITIES = ['critical', 'warning', 'info'] as const
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number]

/** Statuses of alerts. An alert that is both snoozed and acknowledged shows as snoozed. */
export const ALERT_STATUSES = ['firing', 'acknowledged', 'snoozed', 'resolved'] as const
export type AlertStatus = (typeof ALERT_STATUSES)[number]

/** Actions of people on alerts. */
export const ALERT_ACTIONS = ['ack', 'unack', 'snooze', 'unsnooze', 'resolve'] as const
export type AlertAction = (typeof ALERT_ACTIONS)[number]

/** The most alerts that one action can name. */
export const MAX_ACTED_ALERTS = 100
export const MAX_NOTE_CHARS = 512

/** Host of an alert. */
export interface AlertHost {
  readonly fingerprint: string
  readonly hostname: string
}

/**
 * Owner of an alert: a license, a tenant as a whole, or the platform if neither is set. A license can be
 * without a tenant.
 */
export interface AlertOwner {
  /** `''` if the alert belongs to no license. */
  readonly licenseId: string
  readonly tenantId: string | undefined
}

/** An alert. Instants come from the clock of the database. */
export interface Alert extends AlertOwner {
  readonly id: string
  /** Key of the condition, unique among the unresolved alerts of a license. */
  readonly dedupKey: string
  readonly kind: AlertKind
  readonly severity: AlertSeverity
  /** One sentence for people. */
  readonly summary: string
  readonly host: AlertHost | undefined
  readonly details: AlertDetails
  /** How often the alert opened: 1, plus one for each return within ten minutes. */
  readonly count: number
  readonly flapping: boolean
  readonly startsAt: Date
  /** When an evaluation last found the condition. */
  readonly lastSeenAt: Date
  readonly acknowledgedAt: Date | undefined
  readonly acknowledgedBy: string | undefined
  readonly ackExpiresAt: Date | undefined
  /** End of the snooze of the dedup key; it applies to later alerts of that key too. */
  readonly snoozedUntil: Date | undefined
  readonly resolvedAt: Date | undefined
  /** When the current opening was first delivered on any channel. */
  readonly notifiedAt: Date | undefined
}

const isAhead = (instant: Date | undefined, now: Date): boolean => instant !== undefined && instant > now

/** Returns whether somebody acknowledged the alert within the last 24 hours. */
export const isAcknowledged = (alert: Pick<Alert, 'ackExpiresAt'>, now: Date): boolean =>
  isAhead(alert.ackExpiresAt, now)

/** Returns the status of an alert at `now`. */
export function alertStatus(
  alert: Pick<Alert, 'resolvedAt' | 'snoozedUntil' | 'ackExpiresAt'>,
  now: Date,
): AlertStatus {
  if (alert.resolvedAt !== undefined) return 'resolved'
  if (isAhead(alert.snoozedUntil, now)) return 'snoozed'
  return isAcknowledged(alert, now) ? 'acknowledged' : 'firing'
}

function acknowledgement(alert: Alert, now: Date) {
  if (!isAcknowledged(alert, now)) return {}
  return {
    ...presentSeconds('acknowledged_at', alert.acknowledgedAt),
    ...present('acknowledged_by', alert.acknowledgedBy),
    ...presentSeconds('ack_expires_at', alert.ackExpiresAt),
  }
}

/** Converts an alert to its wire form at `now`; absent fields are omitted. */
export const alertView = (alert: Alert, now: Date) => ({
  id: alert.id,
  dedup_key: alert.dedupKey,
  kind: alert.kind,
  severity: alert.severity,
  status: alertStatus(alert, now),
  summary: alert.summary,
  ...(alert.host === undefined
    ? {}
    : { host: { id: agentId(alert.host.fingerprint), hostname: alert.host.hostname } }),
  details: alert.details,
  count: alert.count,
  flapping: alert.flapping,
  starts_at: unixSeconds(alert.startsAt),
  last_seen_at: unixSeconds(alert.lastSeenAt),
  ...acknowledgement(alert, now),
  ...(isAhead(alert.snoozedUntil, now) ? presentSeconds('snoozed_until', alert.snoozedUntil) : {}),
  ...presentSeconds('resolved_at', alert.resolvedAt),
  ...presentSeconds('notified_at', alert.notifiedAt),
})
/** An alert on the wire (docs/alerts.md). Instants are in unix seconds. */
export type AlertView = ReturnType<typeof alertView>
