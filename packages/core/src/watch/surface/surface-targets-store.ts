import type { Scope } from '../../kernel/scope.ts'
import type { SurfaceTarget } from './surface-target.ts'

/** A filter of targets; undefined: of every domain. */
export interface TargetFilter {
  readonly domain?: string | undefined
  readonly limit: number
}

/** Result of a lookup of the proof. */
export interface ProofNote {
  readonly licenseId: string
  readonly domain: string
  /** Undefined: nobody answered, so that an earlier proof stands. */
  readonly isProven: boolean | undefined
  /** Why it is not proven. */
  readonly reason: string | undefined
}

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly surfaceTargets: SurfaceTargetsStore
  }
}

/** Storage of the domains that licenses want to have looked at, and of the addresses that are their own. */
export interface SurfaceTargetsStore {
  /** Adds a domain of a license; the same again is returned as it is. `full`: the license has `most`. */
  add(
    target: { readonly licenseId: string; readonly domain: string; readonly most: number },
    now?: Date,
  ): Promise<{ readonly target: SurfaceTarget; readonly isNew: boolean } | 'full'>
  get(licenseId: string, domain: string): Promise<SurfaceTarget | undefined>
  /** Targets of a scope, ordered by domain, then license. */
  list(scope: Scope, filter: TargetFilter): Promise<readonly SurfaceTarget[]>
  /**
   * Notes the result of a lookup. A proof keeps the instant since which it stands; a lost one ends the scan
   * of the domain that waits or runs, as `aborted`. Undefined if there is no such target.
   */
  note(proof: ProofNote, now?: Date): Promise<SurfaceTarget | undefined>
  /**
   * Takes proven targets that nobody looked up for `olderSeconds`, oldest first, each once: their lookup
   * counts as made.
   */
  takeDue(
    request: { readonly olderSeconds: number; readonly limit: number },
    now?: Date,
  ): Promise<readonly SurfaceTarget[]>
  /** Removes a target with its scans and findings; a running scan ends. False if there was none. */
  remove(licenseId: string, domain: string): Promise<boolean>
  /** Notes that a heartbeat of the license came from an address, unless it has `most` others. */
  noteAddress(
    seen: { readonly licenseId: string; readonly address: string; readonly most: number },
    now?: Date,
  ): Promise<void>
  /** Addresses that heartbeats of the license came from in the last `withinSeconds`, in order. */
  addresses(licenseId: string, withinSeconds: number, now?: Date): Promise<readonly string[]>
  /** Forgets addresses that are older. Returns their number. */
  purgeAddresses(olderSeconds: number, now?: Date): Promise<number>
}
