import type { Scope } from '../../kernel/scope.ts'

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly overview: OverviewStore
  }
}

/** Figures of a fleet, or of the part of it that exists for somebody. */
export interface Overview {
  readonly hosts: {
    /** Hosts that report in time. */
    readonly up: number
    /** Hosts that have reported once and are late now. */
    readonly silent: number
    readonly draining: number
  }
  readonly jobs: {
    readonly running: number
    /** Jobs that are due and have no host yet. */
    readonly waiting: number
    /** Age of the oldest of them, in whole seconds, 0 without one. */
    readonly oldestSeconds: number
    /** Jobs that failed in the last day. */
    readonly failed: number
  }
  readonly alerts: { readonly critical: number; readonly warning: number }
  /** Apps of which an instance is missing on a host. */
  readonly apps: { readonly troubled: number }
  readonly backups: {
    /** Hosts whose last backup failed or is too old. */
    readonly late: number
    /** Hosts whose last drill failed or is too old. */
    readonly drills: number
  }
}

/** Ages from which something is late. */
export interface LateAfter {
  /** Silence of a host. */
  readonly silentSeconds: number
  /** Age of a host's last backup. */
  readonly backupHours: number
  /** Age of a host's last drill. */
  readonly drillDays: number
}

/** Days over which failed jobs are counted. */
export const FAILED_DAYS = 1

/** Storage of the figures of the overview. */
export interface OverviewStore {
  /** Counts everything in one statement. */
  read(scope: Scope, lateAfter: LateAfter, now?: Date): Promise<Overview>
}
