import type { Clock } from '../clock.ts'
import type { Ids } from '../ids.ts'
import { Problem } from '../problem.ts'
import type { Storage } from '../storage/storage.ts'
import type { Tenant } from './tenant.ts'

/** Dependencies of `Tenants`. */
export interface TenantsParts {
  readonly storage: Storage
  readonly clock: Clock
  readonly ids: Ids
}

/** The customers of the service. */
export class Tenants {
  readonly #parts: TenantsParts

  constructor(parts: TenantsParts) {
    this.#parts = parts
  }

  /**
   * Adds a tenant.
   * @throws Problem `conflict` if the name is taken
   */
  async add(name: string): Promise<Tenant> {
    const { storage, clock, ids } = this.#parts
    const tenant = await storage.tenants.add({ id: ids.next('ten'), name }, clock.statementTime())
    if (tenant === undefined)
      throw new Problem('conflict', { detail: `there is a tenant called ${name} already` })
    return tenant
  }

  /** Lists all tenants, oldest first. */
  list(): Promise<readonly Tenant[]> {
    return this.#parts.storage.tenants.list()
  }

  /**
   * Returns a tenant by id or name.
   * @throws Problem `not-found`
   */
  async resolve(idOrName: string): Promise<Tenant> {
    const tenant = await this.#parts.storage.tenants.find(idOrName)
    if (tenant === undefined) throw noTenant(idOrName)
    return tenant
  }
}

/** Returns the refusal of a tenant that does not exist, for whoever asks. */
export const noTenant = (idOrName: string): Problem =>
  new Problem('not-found', { detail: `there is no tenant ${idOrName}` })
