import type { License } from '../../licenses/license.ts'
import { unknownLicense } from '../../licenses/license-name.ts'
import type { Licenses } from '../../licenses/licenses.ts'
import { ofTenant } from '../../scope.ts'
import type { Storage } from '../../storage/storage.ts'

/** The licenses of one tenant. Others do not exist for it, nor do licenses that were never issued. */
export class TenantLicenses {
  readonly #tenantId: string
  readonly #licenses: Licenses
  readonly #storage: Storage

  constructor(tenantId: string, { licenses, storage }: { licenses: Licenses; storage: Storage }) {
    this.#tenantId = tenantId
    this.#licenses = licenses
    this.#storage = storage
  }

  list(): Promise<readonly License[]> {
    return this.#licenses.list(ofTenant(this.#tenantId))
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
   * Returns the result of `read` for a license, which must be one of the tenant's; if it is undefined, for
   * each of them. One read follows the other, so that a request takes one connection.
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
