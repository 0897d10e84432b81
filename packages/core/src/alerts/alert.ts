import { agentId, unixSeconds } from '../agents/agent.ts'

/** Everything that an alert can be about. */
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
  'monitor_drift',
  'dns_unreachable',
  'scheduler_stalled',
] as const
export type AlertKind = (typeof ALERT_KINDS)[number]

/** How bad it is, the worst first. */
export const ALERT_SEVERITIES = ['critical', 'warning', 'info'] as const
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number]

/** What has become of an alert. A snooze shows before an acknowledgement. */
export const ALERT_STATUSES = ['firing', 'acknowledged', 'snoozed', 'resolved'] as const
export type AlertStatus = (typeof ALERT_STATUSES)[number]

/** What people do to alerts. */
export const ALERT_ACTIONS = ['ack', 'unack', 'snooze', 'unsnooze', 'resolve'] as const
export type AlertAction = (typeof ALERT_ACTIONS)[number]

/** Alerts that one action may name. */
export const MAX_ACTED_ALERTS = 100
export const MAX_NOTE_CHARS = 512
/** The last second that a date can hold, since 1970. */
export const LAST_SECOND = 8_640_000_000_000

/** The host that an alert is about. */
export interface AlertHost {
  readonly fingerprint: string
  readonly hostname: string
}

/**
 * Whom an alert concerns: a license of a tenant or of none, a tenant as a whole, or with neither the
 * platform.
 */
export interface AlertOwner {
  /** `''`: no license in particular. */
  readonly licenseId: string
  readonly tenantId: string | undefined
}

/** One alert. Instants are the database's. */
export interface Alert extends AlertOwner {
  readonly id: string
  /** What it is about, unique over the unresolved alerts of its license. */
  readonly dedupKey: string
  readonly kind: AlertKind
  readonly severity: AlertSeverity
  /** One sentence for people. */
  readonly summary: string
  readonly host: AlertHost | undefined
  readonly details: Readonly<Record<string, unknown>>
  /** How often it opened: 1, and one more for each time that it came back within ten minutes. */
  readonly count: number
  readonly flapping: boolean
  readonly startsAt: Date
  /** When an evaluation last found its condition. */
  readonly lastSeenAt: Date
  readonly acknowledgedAt: Date | undefined
  readonly acknowledgedBy: string | undefined
  readonly ackExpiresAt: Date | undefined
  /** Of its dedup key: it holds for the next alert of that key too. */
  readonly snoozedUntil: Date | undefined
  readonly resolvedAt: Date | undefined
  /** When its opening was first announced anywhere. */
  readonly notifiedAt: Date | undefined
}

const isAhead = (instant: Date | undefined, now: Date): boolean => instant !== undefined && instant > now

/** Whether somebody has taken the alert on, and not longer than 24 hours ago. */
export const isAcknowledged = (alert: Pick<Alert, 'ackExpiresAt'>, now: Date): boolean =>
  isAhead(alert.ackExpiresAt, now)

/** The one word for an alert at `now`. */
export function alertStatus(
  alert: Pick<Alert, 'resolvedAt' | 'snoozedUntil' | 'ackExpiresAt'>,
  now: Date,
): AlertStatus {
  if (alert.resolvedAt !== undefined) return 'resolved'
  if (isAhead(alert.snoozedUntil, now)) return 'snoozed'
  return isAcknowledged(alert, now) ? 'acknowledged' : 'firing'
}

const second = <K extends string>(key: K, instant: Date | undefined) =>
  instant === undefined ? {} : ({ [key]: unixSeconds(instant) } as Record<K, number>)

function acknowledgement(alert: Alert, now: Date) {
  if (!isAcknowledged(alert, now)) return {}
  return {
    ...second('acknowledged_at', alert.acknowledgedAt),
    ...(alert.acknowledgedBy === undefined ? {} : { acknowledged_by: alert.acknowledgedBy }),
    ...second('ack_expires_at', alert.ackExpiresAt),
  }
}

/** An alert on the wire (wire-app §3). Instants in unix seconds. */
export interface AlertView {
  readonly id: string
  readonly dedup_key: string
  readonly kind: AlertKind
  readonly severity: AlertSeverity
  readonly status: AlertStatus
  readonly summary: string
  readonly host?: { readonly id: string; readonly hostname: string }
  readonly details: Readonly<Record<string, unknown>>
  readonly count: number
  readonly flapping: boolean
  readonly starts_at: number
  readonly last_seen_at: number
  readonly acknowledged_at?: number
  readonly acknowledged_by?: string
  readonly ack_expires_at?: number
  readonly snoozed_until?: number
  readonly resolved_at?: number
  readonly notified_at?: number
}

/** How an alert stands on the wire at `now`; what is absent is left out. */
export const alertView = (alert: Alert, now: Date): AlertView => ({
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
  ...(isAhead(alert.snoozedUntil, now) ? second('snoozed_until', alert.snoozedUntil) : {}),
  ...second('resolved_at', alert.resolvedAt),
  ...second('notified_at', alert.notifiedAt),
})
