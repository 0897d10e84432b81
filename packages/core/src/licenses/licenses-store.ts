import type { License, LicenseStatus } from './license.ts'

/** A license to be stored, with the digest of its key. */
export interface NewLicense {
  readonly id: string
  readonly keyDigest: string
  readonly tenantId: string | undefined
  readonly label: string
  readonly expiresAt: Date | undefined
  readonly tier?: string | undefined
  readonly contactEmail?: string | undefined
}

/** Changes of a license; an absent field keeps its value. `expiresAt: null`: it never ends. */
export interface LicenseChange {
  readonly label?: string
  readonly expiresAt?: Date | null
  readonly tier?: string | undefined
  readonly contactEmail?: string | undefined
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
  list(): Promise<readonly License[]>
  /** Returns whether a license was ever issued. */
  hasAny(): Promise<boolean>
  /**
   * Sets the status, as an operator's decision, unless the license is revoked, which is final. Returns the
   * license after that; undefined when unknown.
   */
  setStatus(id: string, status: LicenseStatus): Promise<License | undefined>
  /**
   * Changes the label, the end, the tier or the contact. Undefined for an unknown license, and for a
   * revoked one whose end is to change.
   */
  change(id: string, change: LicenseChange): Promise<License | undefined>
}
