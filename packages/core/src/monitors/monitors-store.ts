import type { AnswerSet } from './dns-answer.ts'
import type { Monitor, MonitorDefinition, MonitorError, MonitorOwner, MonitorState } from './monitor.ts'
import type { Judgement, RunOutcome } from './monitor-run.ts'

/** A monitor to be stored; due at once. */
export interface NewMonitor extends MonitorOwner, MonitorDefinition {
  readonly id: string
  readonly name: string
}

/** Another definition for a monitor that still has `revision`. */
export interface Redefinition {
  readonly id: string
  readonly revision: number
  readonly definition: MonitorDefinition
  /** Whether to drop what was found so far. */
  readonly startsOver: boolean
}

/** Whose monitors; all absent: everybody's. */
export interface MonitorFilter {
  readonly tenantId?: string
  readonly licenseId?: string
}

/** A request for due monitors. */
export interface TakeRequest {
  /** Names this run; what it takes is settled under it. */
  readonly token: string
  readonly leaseSeconds: number
  readonly limit: number
  /** Only this monitor, due or not. */
  readonly id?: string
}

/** The end of a run. */
export interface Settlement {
  readonly id: string
  readonly token: string
  readonly judgement: Judgement
  /** Until it is due again, from now. */
  readonly delaySeconds: number
}

/** A stretch of runs that all ended alike. */
export interface HistoryEntry {
  readonly outcome: RunOutcome
  readonly answer: AnswerSet | undefined
  readonly error: MonitorError | undefined
  readonly runs: number
  readonly firstAt: Date
  readonly lastAt: Date
}

/** Stretches that are kept of each monitor. */
export const HISTORY_ENTRIES = 200

/** Monitors, the leases of their runs, and what came of them. */
export interface MonitorsStore {
  /** Stores a monitor; undefined when its owner has one of this name. */
  add(monitor: NewMonitor, now?: Date): Promise<Monitor | undefined>
  /** Those of this id or name; names repeat between owners. */
  find(idOrName: string): Promise<readonly Monitor[]>
  /** By name. */
  list(filter: MonitorFilter): Promise<readonly Monitor[]>
  /**
   * Writes another definition, due at once; a run under way is void. Undefined when the monitor is gone or
   * was changed by somebody else.
   */
  redefine(change: Redefinition, now?: Date): Promise<Monitor | undefined>
  /** Stops asking, or begins again, then due at once; a run under way is void. Undefined: unknown. */
  setPaused(id: string, paused: boolean, now?: Date): Promise<Monitor | undefined>
  /**
   * Makes the answer that counts the expectation, which ends a drift; a run under way is void. Undefined when
   * it is no baseline, has no answer yet, or is unknown.
   */
  accept(id: string, now?: Date): Promise<Monitor | undefined>
  /** Removes a monitor with its history; whether there was one. */
  remove(id: string): Promise<boolean>
  /**
   * Takes monitors that are due, the longest due first, under a lease: nobody else gets them until it ends.
   */
  takeDue(request: TakeRequest, now?: Date): Promise<readonly Monitor[]>
  /**
   * Writes the end of a run and sets the next; the monitor after it, or undefined when the lease is no longer
   * held.
   */
  settle(settlement: Settlement, now?: Date): Promise<Monitor | undefined>
  /** Gives unfinished monitors back: they stay due. */
  release(token: string): Promise<void>
  /** Newest first. */
  history(id: string, limit: number): Promise<readonly HistoryEntry[]>
  counts(): Promise<Readonly<Record<MonitorState, number>>>
}
