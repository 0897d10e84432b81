import type { License, LicenseStatus } from './license.ts'

/** A license to be stored, with the digest of its key. */
export interface NewLicense {
  readonly id: string
  readonly keyDigest: string
  readonly tenantId: string | undefined
  readonly label: string
  readonly expiresAt: Date | undefined
}

/** Issued licenses. Keys are known by their SHA-256, in hex, only. */
export interface LicensesStore {
  add(license: NewLicense, now?: Date): Promise<License>
  /**
   * The id of the license with this key digest if it is active and not expired: one read on every agent
   * request.
   */
  usableId(keyDigest: string, now?: Date): Promise<string | undefined>
  byKeyDigest(keyDigest: string): Promise<License | undefined>
  get(id: string): Promise<License | undefined>
  list(): Promise<readonly License[]>
  /** Whether a license was ever issued. */
  hasAny(): Promise<boolean>
  /**
   * Sets the status unless the license is revoked, which is final; the license as it is then, undefined when
   * unknown.
   */
  setStatus(id: string, status: LicenseStatus): Promise<License | undefined>
}
