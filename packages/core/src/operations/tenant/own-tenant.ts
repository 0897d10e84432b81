import type { Tenant } from '../../tenants/tenant.ts'
import { noTenant, type Tenants } from '../../tenants/tenants.ts'

/** One tenant, as the only one that exists. */
export class OwnTenant implements Pick<Tenants, 'list' | 'resolve'> {
  readonly #tenantId: string
  readonly #tenants: Tenants

  constructor(tenantId: string, tenants: Tenants) {
    this.#tenantId = tenantId
    this.#tenants = tenants
  }

  async list(): Promise<readonly Tenant[]> {
    return [await this.#tenants.resolve(this.#tenantId)]
  }

  async resolve(idOrName: string): Promise<Tenant> {
    const tenant = await this.#tenants.resolve(idOrName)
    if (tenant.id !== this.#tenantId) throw noTenant(idOrName)
    return tenant
  }
}
