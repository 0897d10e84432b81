import type { License, LicenseState } from '../../licenses/license.ts'
import { findLicense, unknownLicense } from '../../licenses/license-name.ts'
import type { Licenses } from '../../licenses/licenses.ts'
import type { Storage } from '../../storage/storage.ts'

/** The licenses of one tenant: those of others do not exist, nor do those that were never issued. */
export class TenantLicenses implements Pick<Licenses, 'list' | 'named' | 'resolve' | 'stateOf'> {
  readonly #tenantId: string
  readonly #licenses: Licenses
  readonly #storage: Storage

  constructor(tenantId: string, { licenses, storage }: { licenses: Licenses; storage: Storage }) {
    this.#tenantId = tenantId
    this.#licenses = licenses
    this.#storage = storage
  }

  async list(): Promise<readonly License[]> {
    return (await this.#licenses.list()).filter((license) => this.#isOwn(license))
  }

  /** The names are looked up among the tenant's own, so that no candidate is another's. */
  async named(name: string): Promise<License> {
    const { licenses } = this.#storage
    const own = async (found: Promise<License | undefined>) => {
      const license = await found
      return license !== undefined && this.#isOwn(license) ? license : undefined
    }
    const license = await findLicense(
      {
        get: (id) => own(licenses.get(id)),
        byKeyDigest: (digest) => own(licenses.byKeyDigest(digest)),
        list: () => this.list(),
      },
      name,
    )
    if (license === undefined) throw unknownLicense()
    return license
  }

  async resolve(name: string): Promise<string> {
    return (await this.named(name)).id
  }

  stateOf(license: Pick<License, 'status' | 'expiresAt'>): LicenseState {
    return this.#licenses.stateOf(license)
  }

  /** Returns whether a license is one of the tenant's. */
  async owns(licenseId: string): Promise<boolean> {
    const license = await this.#storage.licenses.get(licenseId)
    return license !== undefined && this.#isOwn(license)
  }

  /** @throws Problem `not-found` unless the license is one of the tenant's */
  async require(licenseId: string): Promise<void> {
    if (!(await this.owns(licenseId))) throw unknownLicense()
  }

  /**
   * Returns what `read` finds for a license, which must be one of the tenant's; if it is undefined, for each
   * of them. One read follows the other, so that a request takes one connection.
   * @throws Problem `not-found`
   */
  async reads<T>(
    licenseId: string | undefined,
    read: (licenseId: string) => Promise<readonly T[]>,
  ): Promise<T[]> {
    if (licenseId !== undefined) await this.require(licenseId)
    const ids = licenseId === undefined ? (await this.list()).map(({ id }) => id) : [licenseId]
    const found: T[] = []
    for (const id of ids) found.push(...(await read(id)))
    return found
  }

  #isOwn({ tenantId }: License): boolean {
    return tenantId === this.#tenantId
  }
}
