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
    /** Hosts whose last backup failed or is older than `BACKUP_DAYS`. */
    readonly late: number
    /** Hosts whose last drill failed or is older than `DRILL_DAYS`. */
    readonly drills: number
  }
}

/** Days after which a host that makes backups should have made another. */
export const BACKUP_DAYS = 2
/** Days after which a host that tries its backups should have tried again. */
export const DRILL_DAYS = 31
/** Days over which failed jobs are counted. */
export const FAILED_DAYS = 1

/** Storage of the figures of the overview. */
export interface OverviewStore {
  /** Counts everything in one statement. `silentSeconds`: silence after which a host is late. */
  read(scope: Scope, silentSeconds: number, now?: Date): Promise<Overview>
}
