import { given, instant, maybeInstant } from '../database/values.ts'
import type { AccessSession } from './access-session.ts'

/** A row of `access_sessions`. */
export interface AccessRow {
  readonly id: string
  readonly license_id: string
  readonly fingerprint: string
  readonly hostname: string
  readonly operator_kind: AccessSession['operatorKind']
  readonly operator_id: string | null
  readonly operator_label: string
  readonly mode: AccessSession['mode']
  readonly host_user: string | null
  readonly command: string | null
  readonly shown_command: string | null
  readonly cols: number
  readonly rows: number
  readonly term: string
  readonly reason: string
  readonly ip: string
  readonly relay: string
  readonly state: AccessSession['state']
  readonly agent_jti: string | null
  readonly created_at: string
  readonly expires_at: string
  readonly claimed_at: string | null
  readonly connected_at: string | null
  readonly ended_at: string | null
  readonly end_reason: string | null
  readonly exit_code: number | null
  readonly bytes_in: number | string
  readonly bytes_out: number | string
}

/** Returns the session of a row. */
export const toSession = (row: AccessRow): AccessSession => ({
  id: row.id,
  licenseId: row.license_id,
  fingerprint: row.fingerprint,
  hostname: row.hostname,
  operatorKind: row.operator_kind,
  operatorId: given(row.operator_id),
  operatorLabel: row.operator_label,
  mode: row.mode,
  user: given(row.host_user),
  command: given(row.command),
  shownCommand: given(row.shown_command),
  cols: row.cols,
  rows: row.rows,
  term: row.term,
  reason: row.reason,
  ip: row.ip,
  relay: row.relay,
  state: row.state,
  createdAt: instant(row.created_at),
  expiresAt: instant(row.expires_at),
  claimedAt: maybeInstant(row.claimed_at),
  connectedAt: maybeInstant(row.connected_at),
  endedAt: maybeInstant(row.ended_at),
  endReason: given(row.end_reason),
  exitCode: given(row.exit_code),
  // A driver may hand a bigint over as text.
  bytesIn: Number(row.bytes_in),
  bytesOut: Number(row.bytes_out),
})
