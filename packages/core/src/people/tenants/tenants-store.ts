import type { Scope } from '../../kernel/scope.ts'

/** A customer: the organisation that owns licenses and users. */
export interface Tenant {
  readonly id: string
  readonly name: string
  readonly createdAt: Date
}

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly tenants: TenantsStore
  }
}

/** Storage of tenants. Their names are unique. */
export interface TenantsStore {
  /** Stores a tenant. Returns undefined if the name is taken. */
  add(tenant: Pick<Tenant, 'id' | 'name'>, now?: Date): Promise<Tenant | undefined>
  /** Returns a tenant by id or name. */
  find(scope: Scope, idOrName: string): Promise<Tenant | undefined>
  /** Returns tenants, oldest first. */
  list(scope: Scope): Promise<readonly Tenant[]>
}
