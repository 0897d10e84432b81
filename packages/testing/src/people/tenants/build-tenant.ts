import type { Tenant } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'

/** Returns a tenant with a unique name. */
export function buildTenant(fields: Partial<Tenant> = {}): Pick<Tenant, 'id' | 'name'> {
  const id = fields.id ?? buildId('ten')
  return { id, name: fields.name ?? `tenant ${id}` }
}
