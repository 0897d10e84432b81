import type { License } from '../../licenses/license.ts'
import { type Licenses, noLicense } from '../../licenses/licenses.ts'
import type { Storage } from '../../storage/storage.ts'

/** The licenses of one tenant: those of others do not exist. */
export class TenantLicenses implements Pick<Licenses, 'list' | 'resolve'> {
  readonly #tenantId: string
  readonly #licenses: Licenses
  readonly #storage: Storage

  constructor(tenantId: string, { licenses, storage }: { licenses: Licenses; storage: Storage }) {
    this.#tenantId = tenantId
    this.#licenses = licenses
    this.#storage = storage
  }

  async list(): Promise<readonly License[]> {
    return (await this.#licenses.list()).filter(({ tenantId }) => tenantId === this.#tenantId)
  }

  async resolve(idOrKey: string): Promise<string> {
    const id = await this.#licenses.resolve(idOrKey)
    await this.require(id)
    return id
  }

  /** Returns whether a license is one of the tenant's. */
  async owns(licenseId: string): Promise<boolean> {
    return (await this.#storage.licenses.get(licenseId))?.tenantId === this.#tenantId
  }

  /** @throws Problem `not-found` unless the license is one of the tenant's */
  async require(licenseId: string): Promise<void> {
    if (!(await this.owns(licenseId))) throw noLicense()
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
}
