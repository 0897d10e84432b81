import type { Tenant, TenantsStore } from '@svc/core/ports'
import type { MemoryTables } from '../memory-tables.ts'
import type { Run } from '../memory-turns.ts'
import { byBytes } from '../text-order.ts'

/** Tenants in memory. */
export function memoryTenantsStore(tables: MemoryTables, run: Run, time: () => Date): TenantsStore {
  const tenants = tables.of<Tenant>('tenants')
  return {
    add: ({ id, name }: Pick<Tenant, 'id' | 'name'>, now = time()) =>
      run(() => {
        if (tenants.all().some((row) => row.name === name)) return undefined
        if (tenants.get(id) !== undefined) throw new Error(`there is a tenant ${id} already`)
        const tenant = { id, name, createdAt: now }
        tenants.put(id, tenant)
        return tenant
      }),
    find: (idOrName: string) =>
      run(() => tenants.get(idOrName) ?? tenants.all().find((row) => row.name === idOrName)),
    list: () => run(() => tenants.all().sort((one, other) => byBytes(one.id, other.id))),
  }
}
