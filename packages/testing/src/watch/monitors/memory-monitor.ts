import {
  HISTORY_ENTRIES,
  type HistoryEntry,
  type Monitor,
  type MonitorDefinition,
  type NewMonitor,
  type Redefinition,
  type Settlement,
} from '@svc/core/ports'

/** A monitor as the fake stores it: with its lease and its history, newest first. */
export interface MemoryMonitor {
  readonly monitor: Monitor
  readonly lease: { readonly token: string; readonly until: Date } | undefined
  readonly history: readonly HistoryEntry[]
}

const later = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000)

const NOTHING_FOUND = {
  confirmed: undefined,
  driftedAt: undefined,
  errorStreak: 0,
  error: undefined,
  unreachableAt: undefined,
  lastAnswerAt: undefined,
} as const

const definitionOf = (given: MonitorDefinition): MonitorDefinition => {
  const { host, type, mode, match, expected, intervalSeconds, confirmations, resolvers } = given
  return { host, type, mode, match, expected, intervalSeconds, confirmations, resolvers }
}

/** Returns the row of a new monitor. */
export const newRow = (added: NewMonitor, now: Date): MemoryMonitor => ({
  monitor: {
    ...definitionOf(added),
    ...NOTHING_FOUND,
    id: added.id,
    name: added.name,
    tenantId: added.tenantId,
    licenseId: added.licenseId,
    pending: undefined,
    createdAt: now,
    revision: 1,
    pausedAt: undefined,
    nextRunAt: now,
    lastRunAt: undefined,
  },
  lease: undefined,
  history: [],
})

/** Returns the row under another definition. */
export function redefined(
  { monitor, history }: MemoryMonitor,
  change: Redefinition,
  now: Date,
): MemoryMonitor {
  const { definition, startsOver } = change
  const found = startsOver ? NOTHING_FOUND : {}
  const changed = { ...monitor, ...definitionOf(definition), ...found }
  const revision = monitor.revision + 1
  return { monitor: { ...changed, pending: undefined, revision, nextRunAt: now }, lease: undefined, history }
}

/** Returns the row with its drift accepted. */
export function accepted({ monitor, history }: MemoryMonitor, now: Date): MemoryMonitor {
  const { confirmed: expected, revision } = monitor
  const changed = {
    expected,
    pending: undefined,
    driftedAt: undefined,
    revision: revision + 1,
    nextRunAt: now,
  }
  return { monitor: { ...monitor, ...changed }, lease: undefined, history }
}

/** Returns the row paused or resumed. */
export function pausedRow({ monitor, history }: MemoryMonitor, paused: boolean, now: Date): MemoryMonitor {
  const { pausedAt, nextRunAt } = monitor
  const going = { pausedAt: undefined, nextRunAt: pausedAt === undefined ? nextRunAt : now }
  const changed = paused ? { pausedAt: pausedAt ?? now } : going
  return { monitor: { ...monitor, ...changed }, lease: undefined, history }
}

/** Returns the row after a run. */
export function settledRow(
  { monitor, history }: MemoryMonitor,
  settlement: Settlement,
  now: Date,
): MemoryMonitor {
  const { judgement, delaySeconds } = settlement
  const { drifted, unreachable, ...after } = judgement.after
  const { error } = judgement.observation
  return {
    monitor: {
      ...monitor,
      ...after,
      error,
      driftedAt: drifted ? (monitor.driftedAt ?? now) : undefined,
      unreachableAt: unreachable ? (monitor.unreachableAt ?? now) : undefined,
      lastRunAt: now,
      lastAnswerAt: error === undefined ? now : monitor.lastAnswerAt,
      nextRunAt: later(now, delaySeconds),
    },
    lease: undefined,
    history: extended(history, settlement, now),
  }
}

function extended(
  history: readonly HistoryEntry[],
  { judgement }: Settlement,
  now: Date,
): readonly HistoryEntry[] {
  const { outcome, observation } = judgement
  const { answer, error } = observation
  const [last, ...rest] = history
  const isAlike = last?.outcome === outcome && last.error === error && sameJson(last.answer, answer)
  if (last !== undefined && isAlike) return [{ ...last, runs: last.runs + 1, lastAt: now }, ...rest]
  return [{ outcome, answer, error, runs: 1, firstAt: now, lastAt: now }, ...history].slice(
    0,
    HISTORY_ENTRIES,
  )
}

const sameJson = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Returns the row under the lease of a run. */
export const leased = (row: MemoryMonitor, token: string, seconds: number, now: Date): MemoryMonitor => ({
  ...row,
  lease: { token, until: later(now, seconds) },
})
