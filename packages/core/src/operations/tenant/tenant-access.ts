import { type Access, noSession } from '../../access/access.ts'
import type { OperatedAccess } from '../../access/access-operations.ts'
import type { OpenAccess } from '../../access/access-request.ts'
import type { AccessFilter, AccessHost } from '../../access/access-sessions-store.ts'
import type { TenantLicenses } from './tenant-licenses.ts'

/** The sessions on the hosts of one tenant. Others do not exist for it. */
export class TenantAccess implements OperatedAccess {
  readonly #access: Access
  readonly #licenses: TenantLicenses

  constructor(access: Access, licenses: TenantLicenses) {
    this.#access = access
    this.#licenses = licenses
  }

  requireRelay(): void {
    this.#access.requireRelay()
  }

  async open(asked: OpenAccess) {
    await this.#licenses.require(asked.host.licenseId)
    return this.#access.open(asked)
  }

  async list(filter: AccessFilter) {
    const own = (await this.#licenses.list()).map(({ id }) => id)
    const licenseIds = filter.licenseIds?.filter((id) => own.includes(id)) ?? own
    return this.#access.list({ ...filter, licenseIds })
  }

  async revoke(id: string) {
    const session = await this.#access.get(id)
    if (session === undefined || !(await this.#licenses.owns(session.licenseId))) throw noSession()
    return this.#access.revoke(id)
  }

  async resetKey(host: AccessHost): Promise<void> {
    await this.#licenses.require(host.licenseId)
    await this.#access.resetKey(host)
  }
}
