import { Problem } from '../../kernel/problem.ts'
import type { Scope } from '../../kernel/scope.ts'
import type { Base } from '../../platform/base.ts'
import type { Tenant } from './tenants-store.ts'

/** Dependencies of `Tenants`. */
export type TenantsParts = Pick<Base, 'storage' | 'clock' | 'ids'>

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

  /** Lists the tenants of a scope, oldest first. */
  list(scope: Scope): Promise<readonly Tenant[]> {
    return this.#parts.storage.tenants.list(scope)
  }

  /**
   * Returns a tenant of a scope by id or name.
   * @throws Problem `not-found`
   */
  async resolve(scope: Scope, idOrName: string): Promise<Tenant> {
    const tenant = await this.#parts.storage.tenants.find(scope, idOrName)
    if (tenant === undefined) throw new Problem('not-found', { detail: `there is no tenant ${idOrName}` })
    return tenant
  }
}
