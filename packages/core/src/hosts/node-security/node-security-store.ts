import type { JobState } from '../../work/jobs/job.ts'
import type { SecuritySettings } from './security-settings.ts'

/** A host of a license. */
export interface HostKey {
  readonly licenseId: string
  readonly fingerprint: string
}

/** A document that a host was given. Revisions of a host count from 1. */
export interface SecurityRevision {
  readonly revision: number
  readonly settings: SecuritySettings
  /** SHA-256 of the settings, in hex. */
  readonly sha256: string
  readonly updatedAt: Date
  /** `license`, or the name of the operator. */
  readonly updatedBy: string
}

/** A revision to be stored. */
export type NewSecurityRevision = HostKey & Omit<SecurityRevision, 'updatedAt'>

/** How the latest attempt of a host to apply a document ended. */
export const APPLIED_STATES = ['none', 'applied', 'failed', 'rolled_back'] as const
export type AppliedState = (typeof APPLIED_STATES)[number]

/** The document that a host is known to have applied, as the outcomes of its jobs tell. */
export interface AppliedSecurity {
  readonly state: AppliedState
  /** The revision that the host applied last; 0 for none. */
  readonly revision: number
  /** When the latest attempt ended. */
  readonly at: Date | undefined
  /** Why it failed. */
  readonly error: string | undefined
}

/** The document of a host as of now. */
export interface HostSecurity {
  readonly desired: SecurityRevision
  readonly applied: AppliedSecurity
  /** The latest job that carries a document to the host. */
  readonly job: { readonly id: string; readonly state: JobState } | undefined
}

/** How far a host with a document is, without the document. */
export interface SecurityStanding extends HostKey {
  readonly desired: Pick<SecurityRevision, 'revision' | 'updatedAt'>
  readonly applied: AppliedSecurity
}

/** Revisions that are kept of a host. */
export const KEPT_REVISIONS = 100

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly nodeSecurity: NodeSecurityStore
  }
}

/**
 * Storage of the documents of hosts. Their jobs tell the applied state: jobs of kind `firewall` that are
 * aimed at the host and carry the number and the digest of one of its revisions.
 */
export interface NodeSecurityStore {
  /** The newest revision of a host with its outcome; undefined for a host that was given none. */
  current(host: HostKey): Promise<HostSecurity | undefined>
  /**
   * Stores the next revision of a host, and lets go of those beyond the newest `KEPT_REVISIONS`. Undefined
   * when its number is taken, or is not the next one.
   */
  add(revision: NewSecurityRevision, now?: Date): Promise<SecurityRevision | undefined>
  /** A revision of a host; undefined when there is none with this number any more. */
  revision(host: HostKey, revision: number): Promise<SecurityRevision | undefined>
  /** The newest revisions of a host, newest first. */
  history(host: HostKey, limit: number): Promise<readonly SecurityRevision[]>
  /** Every host with a document, in the order of the bytes of license and fingerprint. */
  standings(): Promise<readonly SecurityStanding[]>
}
