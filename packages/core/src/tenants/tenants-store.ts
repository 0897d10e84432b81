import type { Tenant } from './tenant.ts'

/** Tenants, each with a name of its own. */
export interface TenantsStore {
  /** Stores a tenant; undefined when the name is taken. */
  add(tenant: Pick<Tenant, 'id' | 'name'>, now?: Date): Promise<Tenant | undefined>
  /** By id or by name. */
  find(idOrName: string): Promise<Tenant | undefined>
  list(): Promise<readonly Tenant[]>
}
