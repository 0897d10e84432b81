import { given, instant, maybeInstant } from '../database/values.ts'
import type { Alert, AlertKind, AlertSeverity } from './alert.ts'
import type { AlertKey } from './alert-lifecycle.ts'

/** A row of `alerts`, as the drivers or `to_jsonb` return it. */
export interface AlertRow {
  readonly id: string
  readonly license_id: string
  readonly tenant_id: string | null
  readonly dedup_key: string
  readonly kind: AlertKind
  readonly severity: AlertSeverity
  readonly summary: string
  readonly fingerprint: string | null
  readonly hostname: string | null
  readonly details: Readonly<Record<string, unknown>>
  readonly event: string | null
  readonly count: number
  readonly flapping: boolean
  readonly starts_at: string
  readonly last_seen_at: string
  readonly acknowledged_at: string | null
  readonly acknowledged_by: string | null
  readonly ack_expires_at: string | null
  readonly resolved_at: string | null
  readonly notified_at: string | null
  /** Column of `alert_watches`; absent in statements that do not join it. */
  readonly snoozed_until?: string | null
}

/** Converts a row to an alert. */
export const toAlert = (row: AlertRow): Alert => ({
  id: row.id,
  licenseId: row.license_id,
  tenantId: given(row.tenant_id),
  dedupKey: row.dedup_key,
  kind: row.kind,
  severity: row.severity,
  summary: row.summary,
  host: row.fingerprint === null ? undefined : { fingerprint: row.fingerprint, hostname: row.hostname ?? '' },
  details: row.details,
  count: row.count,
  flapping: row.flapping,
  startsAt: instant(row.starts_at),
  lastSeenAt: instant(row.last_seen_at),
  acknowledgedAt: maybeInstant(row.acknowledged_at),
  acknowledgedBy: given(row.acknowledged_by),
  ackExpiresAt: maybeInstant(row.ack_expires_at),
  snoozedUntil: maybeInstant(row.snoozed_until ?? null),
  resolvedAt: maybeInstant(row.resolved_at),
  notifiedAt: maybeInstant(row.notified_at),
})

/** A row of `alert_watches`, joined with the latest alert of its dedup key. */
export interface AlertKeyRow {
  readonly at: string
  readonly license_id: string
  /** Null in the single row that is returned when no dedup key is stored. */
  readonly dedup_key: string | null
  readonly tenant_id: string | null
  readonly revision: number
  readonly pending_since: string | null
  readonly present: boolean
  readonly transitions: readonly number[]
  readonly dismissed: string | null
  readonly snoozed_until: string | null
  readonly alert_id: string | null
  readonly resolved_at: string | null
  readonly flapping: boolean
  readonly acknowledged: boolean
  readonly announced: boolean
  readonly event: string | null
}

/** Converts a row to the dedup key that it stores. */
export const toAlertKey = (row: AlertKeyRow & { readonly dedup_key: string }): AlertKey => ({
  licenseId: row.license_id,
  tenantId: given(row.tenant_id),
  dedupKey: row.dedup_key,
  revision: row.revision,
  pendingSince: maybeInstant(row.pending_since),
  isPresent: row.present,
  transitions: row.transitions,
  dismissed: given(row.dismissed),
  snoozedUntil: maybeInstant(row.snoozed_until),
  alert:
    row.alert_id === null
      ? undefined
      : {
          id: row.alert_id,
          resolvedAt: maybeInstant(row.resolved_at),
          flapping: row.flapping,
          isAcknowledged: row.acknowledged,
          isAnnounced: row.announced,
          event: given(row.event),
        },
})
