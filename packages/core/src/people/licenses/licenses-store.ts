import type { Scope } from '../../kernel/scope.ts'
import type { License, LicenseStatus } from './license.ts'
import type { LicenseDeed } from './license-deed.ts'

/** A license to be stored, with the digest of its key. */
export interface NewLicense {
  readonly id: string
  readonly keyDigest: string
  readonly tenantId: string | undefined
  readonly label: string
  readonly expiresAt: Date | undefined
  readonly tier?: string | undefined
  readonly contactEmail?: string | undefined
  readonly agentOnly?: boolean | undefined
}

/** Changes of a license; an absent field keeps its value. `expiresAt: null`: it never ends. */
export interface LicenseChange {
  readonly label?: string
  readonly expiresAt?: Date | null
  readonly tier?: string | undefined
  readonly contactEmail?: string | undefined
  readonly agentOnly?: boolean | undefined
}

/** A name that a license may go by. */
export interface LicenseName {
  readonly name: string
  /** The digest of the name, which may be a key. */
  readonly keyDigest: string
  /** Whether it may be the end of an id. */
  readonly isEnd: boolean
}

/** Calls of one kind that the key of a license made. */
export interface LicenseCalls {
  readonly licenseId: string
  readonly deed: LicenseDeed
  readonly calls: number
  readonly lastAt: Date
}

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly licenses: LicensesStore
  }
}

/** Issued licenses. A key is known only by its SHA-256, in hex. */
export interface LicensesStore {
  add(license: NewLicense, now?: Date): Promise<License>
  /**
   * Returns the id of the license with this key digest if it is active and has not expired: one read on every
   * agent request.
   */
  usableId(keyDigest: string, now?: Date): Promise<string | undefined>
  byKeyDigest(keyDigest: string): Promise<License | undefined>
  get(id: string): Promise<License | undefined>
  list(scope: Scope): Promise<readonly License[]>
  /**
   * Returns the license with this id or the digest of this key alone, if there is one; else those with this
   * label, and those whose id ends like this if `isEnd`, in the order of their ids.
   */
  named(scope: Scope, name: LicenseName): Promise<readonly License[]>
  /** Returns whether a license was ever issued. */
  hasAny(): Promise<boolean>
  /**
   * Sets the status, as an operator's decision, unless the license is revoked, which is final. Returns the
   * license after that; undefined when unknown.
   */
  setStatus(id: string, status: LicenseStatus): Promise<License | undefined>
  /**
   * Changes the label, the end, the tier, the contact, or whether the key acts for hosts alone. Undefined for
   * an unknown license, and for a revoked one whose end is to change.
   */
  change(id: string, change: LicenseChange): Promise<License | undefined>
  /** Counts a call of an issued license by its day (UTC); changes nothing for any other license. */
  noteCall(licenseId: string, deed: LicenseDeed, now?: Date): Promise<void>
  /** Returns the calls of the last days, in the order of licenses and deeds. */
  calls(days: number, now?: Date): Promise<readonly LicenseCalls[]>
  /** Forgets days whose last call is older. Returns how many rows went. */
  purgeCalls(days: number, now?: Date): Promise<number>
}
