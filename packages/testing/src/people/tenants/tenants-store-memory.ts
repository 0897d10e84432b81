import type { Scope } from '@svc/core'
import type { Tenant, TenantsStore } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { isWithin } from '../../scoped-rows.ts'
import { byBytes } from '../../text-order.ts'

/** Tenants in memory. */
export function memoryTenantsStore(tables: MemoryTables, run: Run, time: () => Date): TenantsStore {
  const tenants = tables.of<Tenant>('tenants')
  const within = (scope: Scope) => tenants.all().filter(({ id }) => isWithin(tables, scope, { tenantId: id }))
  return {
    add: ({ id, name }: Pick<Tenant, 'id' | 'name'>, now = time()) =>
      run(() => {
        if (tenants.all().some((row) => row.name === name)) return undefined
        if (tenants.get(id) !== undefined) throw new Error(`there is a tenant ${id} already`)
        const tenant = { id, name, createdAt: now }
        tenants.put(id, tenant)
        return tenant
      }),
    find: (scope: Scope, idOrName: string) =>
      run(() => within(scope).find(({ id, name }) => id === idOrName || name === idOrName)),
    list: (scope: Scope) => run(() => within(scope).sort((one, other) => byBytes(one.id, other.id))),
  }
}
