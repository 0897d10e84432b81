import { unixSeconds } from '../../kernel/clock.ts'
import { present, presentSeconds } from '../../kernel/present.ts'
import { type Monitor, monitorState } from './monitor.ts'
import type { Observation } from './monitor-run.ts'
import type { HistoryEntry } from './monitors-store.ts'

/** Returns a monitor as operators see it. Instants are in unix seconds; absent fields are omitted. */
export const monitorView = (monitor: Monitor) => ({
  id: monitor.id,
  name: monitor.name,
  ...present('tenant_id', monitor.tenantId),
  ...present('license_id', monitor.licenseId),
  state: monitorState(monitor),
  host: monitor.host,
  type: monitor.type,
  mode: monitor.mode,
  match: monitor.match,
  ...present('expected', monitor.expected),
  ...present('confirmed', monitor.confirmed),
  ...present('pending', monitor.pending?.answer),
  ...present('error', monitor.error),
  error_streak: monitor.errorStreak,
  interval_seconds: monitor.intervalSeconds,
  confirmations: monitor.confirmations,
  resolvers: monitor.resolvers,
  ...presentSeconds('drifted_at', monitor.driftedAt),
  ...presentSeconds('unreachable_at', monitor.unreachableAt),
  ...presentSeconds('paused_at', monitor.pausedAt),
  ...presentSeconds('last_run_at', monitor.lastRunAt),
  ...presentSeconds('last_answer_at', monitor.lastAnswerAt),
  next_run_at: unixSeconds(monitor.nextRunAt),
  created_at: unixSeconds(monitor.createdAt),
})
/** A monitor as operators see it. */
export type MonitorView = ReturnType<typeof monitorView>

/** Returns the result of one query as operators see it. */
export const observationView = ({ answer, error }: Observation) => ({
  ...present('answer', answer),
  ...present('error', error),
})
/** The result of one query as operators see it. */
export type ObservationView = ReturnType<typeof observationView>

/** Returns a history entry as operators see it. */
export const historyView = ({ outcome, answer, error, runs, firstAt, lastAt }: HistoryEntry) => ({
  outcome,
  ...observationView((error === undefined ? { answer } : { error }) as Observation),
  runs,
  first_at: unixSeconds(firstAt),
  last_at: unixSeconds(lastAt),
})
/** A history entry as operators see it. */
export type HistoryView = ReturnType<typeof historyView>
