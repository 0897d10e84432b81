import type { Scope } from '../../kernel/scope.ts'
import type { AnswerSet } from '../../platform/dns/dns-answer.ts'
import type { Monitor, MonitorDefinition, MonitorError, MonitorOwner, MonitorState } from './monitor.ts'
import type { Judgement, RunOutcome } from './monitor-run.ts'

/** A new monitor. It is due at once. */
export interface NewMonitor extends MonitorOwner, MonitorDefinition {
  readonly id: string
  readonly name: string
}

/** A new definition, written only if the monitor still has `revision`. */
export interface Redefinition {
  readonly id: string
  readonly revision: number
  readonly definition: MonitorDefinition
  /** Whether to drop all findings. */
  readonly startsOver: boolean
}

/** Filter for monitors by owner. Empty: all monitors. */
export interface MonitorFilter {
  readonly tenantId?: string
  readonly licenseId?: string
}

/** Request for due monitors. */
export interface TakeRequest {
  /** Token of the lease; the monitors that it takes are settled with it. */
  readonly token: string
  readonly leaseSeconds: number
  readonly limit: number
  /** Id of the only monitor to take, due or not. */
  readonly id?: string
}

/** Result of a run. */
export interface Settlement {
  readonly id: string
  readonly token: string
  readonly judgement: Judgement
  /** Delay until the monitor is due again, from now. */
  readonly delaySeconds: number
}

/** History entry: consecutive runs with the same result. */
export interface HistoryEntry {
  readonly outcome: RunOutcome
  readonly answer: AnswerSet | undefined
  readonly error: MonitorError | undefined
  readonly runs: number
  readonly firstAt: Date
  readonly lastAt: Date
}

/** History entries that are kept for each monitor. */
export const HISTORY_ENTRIES = 200

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly monitors: MonitorsStore
  }
}

/** Storage of monitors, of the leases of their runs, and of their history. */
export interface MonitorsStore {
  /** Stores a monitor. Returns undefined if its owner already has one of this name. */
  add(monitor: NewMonitor, now?: Date): Promise<Monitor | undefined>
  /** Returns the monitors of a scope with this id or name; different owners can use the same name. */
  find(scope: Scope, idOrName: string): Promise<readonly Monitor[]>
  /** Lists the monitors of a scope, ordered by name. */
  list(scope: Scope, filter: MonitorFilter): Promise<readonly Monitor[]>
  /**
   * Writes a new definition, makes the monitor due at once, and voids a current run. Returns undefined if the
   * monitor is gone or was changed meanwhile.
   */
  redefine(change: Redefinition, now?: Date): Promise<Monitor | undefined>
  /**
   * Pauses a monitor, or resumes it and makes it due at once; voids a current run. Returns undefined if it is
   * unknown.
   */
  setPaused(id: string, paused: boolean, now?: Date): Promise<Monitor | undefined>
  /**
   * Makes the confirmed answer of a baseline its expectation, which ends a drift; voids a current run.
   * Returns undefined if the monitor is not a baseline, has no confirmed answer, or is unknown.
   */
  accept(id: string, now?: Date): Promise<Monitor | undefined>
  /** Deletes a monitor with its history. Returns false if there was none. */
  remove(id: string): Promise<boolean>
  /**
   * Takes due monitors under a lease, longest due first. Other callers do not get them until the lease ends.
   */
  takeDue(request: TakeRequest, now?: Date): Promise<readonly Monitor[]>
  /**
   * Writes the result of a run and schedules the next. Returns the updated monitor, or undefined if the lease
   * is no longer held.
   */
  settle(settlement: Settlement, now?: Date): Promise<Monitor | undefined>
  /** Releases the unfinished monitors of a lease; they stay due. */
  release(token: string): Promise<void>
  /** Returns history entries, newest first. */
  history(id: string, limit: number): Promise<readonly HistoryEntry[]>
  counts(): Promise<Readonly<Record<MonitorState, number>>>
}
