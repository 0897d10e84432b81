import { given, instant, maybeInstant } from '../database/values.ts'
import type { AnswerSet, Match, RecordType } from './dns-answer.ts'
import type { Monitor, MonitorError, MonitorMode, Pending } from './monitor.ts'
import type { RunOutcome } from './monitor-run.ts'
import type { HistoryEntry } from './monitors-store.ts'

/** A row of `monitors`, as the drivers return it. */
export interface MonitorRow {
  readonly id: string
  readonly tenant_id: string | null
  readonly license_id: string | null
  readonly name: string
  readonly host: string
  readonly type: RecordType
  readonly mode: MonitorMode
  readonly match: Match
  readonly expected: AnswerSet | null
  readonly interval_seconds: number
  readonly confirmations: number
  readonly resolvers: readonly string[]
  readonly created_at: string
  readonly revision: number
  readonly paused_at: string | null
  readonly next_run_at: string
  readonly last_run_at: string | null
  readonly last_answer_at: string | null
  readonly confirmed: AnswerSet | null
  readonly pending: Pending | null
  readonly drifted_at: string | null
  readonly error_streak: number
  readonly error: MonitorError | null
  readonly unreachable_at: string | null
}

/** Converts a row to a monitor. */
export const toMonitor = (row: MonitorRow): Monitor => ({
  id: row.id,
  tenantId: given(row.tenant_id),
  licenseId: given(row.license_id),
  name: row.name,
  host: row.host,
  type: row.type,
  mode: row.mode,
  match: row.match,
  expected: given(row.expected),
  intervalSeconds: row.interval_seconds,
  confirmations: row.confirmations,
  resolvers: row.resolvers,
  createdAt: instant(row.created_at),
  revision: row.revision,
  pausedAt: maybeInstant(row.paused_at),
  nextRunAt: instant(row.next_run_at),
  lastRunAt: maybeInstant(row.last_run_at),
  lastAnswerAt: maybeInstant(row.last_answer_at),
  confirmed: given(row.confirmed),
  pending: given(row.pending),
  driftedAt: maybeInstant(row.drifted_at),
  errorStreak: row.error_streak,
  error: given(row.error),
  unreachableAt: maybeInstant(row.unreachable_at),
})

/** A row of `monitor_history`. */
export interface HistoryRow {
  readonly outcome: RunOutcome
  readonly answer: AnswerSet | null
  readonly error: MonitorError | null
  readonly runs: number
  readonly first_at: string
  readonly last_at: string
}

/** Converts a row to a history entry. */
export const toHistoryEntry = (row: HistoryRow): HistoryEntry => ({
  outcome: row.outcome,
  answer: given(row.answer),
  error: given(row.error),
  runs: row.runs,
  firstAt: instant(row.first_at),
  lastAt: instant(row.last_at),
})
