import { unixSeconds } from '../../kernel/clock.ts'
import { type Monitor, monitorState } from './monitor.ts'
import type { Observation } from './monitor-run.ts'
import type { HistoryEntry } from './monitors-store.ts'

const entry = <K extends string, V>(name: K, value: V | undefined): { [P in K]?: V } =>
  value === undefined ? {} : ({ [name]: value } as Record<K, V>)
const time = <K extends string>(name: K, at: Date | undefined) =>
  entry(name, at === undefined ? undefined : unixSeconds(at))

/** Returns a monitor as operators see it. Instants are in unix seconds; absent fields are omitted. */
export const monitorView = (monitor: Monitor) => ({
  id: monitor.id,
  name: monitor.name,
  ...entry('tenant_id', monitor.tenantId),
  ...entry('license_id', monitor.licenseId),
  state: monitorState(monitor),
  host: monitor.host,
  type: monitor.type,
  mode: monitor.mode,
  match: monitor.match,
  ...entry('expected', monitor.expected),
  ...entry('confirmed', monitor.confirmed),
  ...entry('pending', monitor.pending?.answer),
  ...entry('error', monitor.error),
  error_streak: monitor.errorStreak,
  interval_seconds: monitor.intervalSeconds,
  confirmations: monitor.confirmations,
  resolvers: monitor.resolvers,
  ...time('drifted_at', monitor.driftedAt),
  ...time('unreachable_at', monitor.unreachableAt),
  ...time('paused_at', monitor.pausedAt),
  ...time('last_run_at', monitor.lastRunAt),
  ...time('last_answer_at', monitor.lastAnswerAt),
  next_run_at: unixSeconds(monitor.nextRunAt),
  created_at: unixSeconds(monitor.createdAt),
})
/** A monitor as operators see it. */
export type MonitorView = ReturnType<typeof monitorView>

/** Returns the result of one query as operators see it. */
export const observationView = ({ answer, error }: Observation) => ({
  ...entry('answer', answer),
  ...entry('error', error),
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
