import type { Scope } from '../../kernel/scope.ts'
import type {
  Finding,
  FindingCounts,
  FindingSeverity,
  FindingStatus,
  SurfaceFinding,
} from './surface-finding.ts'
import type { ScanEnd, ScanResult, SurfaceScan } from './surface-scan.ts'

/** A scan that somebody asks for, with the bounds that its domain and its license have. */
export interface NewScan extends Pick<SurfaceScan, 'id' | 'licenseId' | 'domain' | 'checks' | 'params'> {
  readonly perHour: number
  readonly perDay: number
}

/** Outcome of a request for a scan. */
export type StartOutcome =
  | { readonly outcome: 'queued'; readonly scan: SurfaceScan }
  | { readonly outcome: 'running'; readonly id: string }
  | { readonly outcome: 'limited'; readonly retryAfterSeconds: number }
  /** There is no such target, or its ownership is not proven. */
  | { readonly outcome: 'unproven' }

/** The end of a run, with its findings. */
export interface ScanSettlement {
  readonly id: string
  readonly token: string
  readonly state: ScanEnd
  readonly error: string | undefined
  readonly result: ScanResult
  /** Findings that were seen, by fingerprint. */
  readonly seen: readonly (Finding & { readonly fingerprint: string })[]
  /** Fingerprints of findings that were looked for and not seen. */
  readonly fixed: readonly string[]
}

/** A filter of findings; undefined: any. */
export interface FindingFilter {
  readonly domain?: string | undefined
  readonly status?: FindingStatus | undefined
  readonly severity?: FindingSeverity | undefined
  readonly limit: number
}

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly surfaceScans: SurfaceScansStore
  }
}

/** Storage of scans under leases, and of their findings. */
export interface SurfaceScansStore {
  /** Queues a scan of a proven target, unless one is active or there were too many. */
  start(scan: NewScan, now?: Date): Promise<StartOutcome>
  get(scope: Scope, id: string): Promise<SurfaceScan | undefined>
  /** The newest scan of a target. */
  last(licenseId: string, domain: string): Promise<SurfaceScan | undefined>
  /**
   * Takes the oldest scan that waits under a lease, if fewer than `mostRunning` hold one. A scan whose lease
   * ran out waits again once; after `attempts` it is failed.
   */
  take(
    request: {
      readonly token: string
      readonly leaseSeconds: number
      readonly mostRunning: number
      readonly attempts: number
    },
    now?: Date,
  ): Promise<SurfaceScan | undefined>
  /** Renews a lease and notes the progress. False if the lease is not held any more. */
  renew(
    renewal: {
      readonly id: string
      readonly token: string
      readonly leaseSeconds: number
      readonly progress: number
    },
    now?: Date,
  ): Promise<boolean>
  /** Gives a scan back, as if it had never begun: its process stops. False if the lease is not held. */
  giveBack(id: string, token: string): Promise<boolean>
  /** Ends a run with all that follows from it. Undefined, and nothing changes, if the lease is not held. */
  finish(settlement: ScanSettlement, now?: Date): Promise<SurfaceScan | undefined>
  /** Aborts an active scan. Undefined if there is no such scan; one that ended is returned as it is. */
  abort(scope: Scope, id: string, reason: string, now?: Date): Promise<SurfaceScan | undefined>
  /** Findings of a scope: high ones first, then the oldest. */
  findings(scope: Scope, filter: FindingFilter): Promise<readonly SurfaceFinding[]>
  /** Open findings of a target by severity. */
  counts(licenseId: string, domain: string): Promise<FindingCounts>
  /** Deletes ended scans but the newest of each target, and fixed findings, past `keptDays`. */
  purge(keptDays: number, now?: Date): Promise<number>
}
