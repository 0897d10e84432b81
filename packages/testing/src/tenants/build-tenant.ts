import type { Tenant } from '@svc/core'
import { buildId } from '../build-id.ts'

/** A tenant with a name of its own. */
export function buildTenant(fields: Partial<Tenant> = {}): Pick<Tenant, 'id' | 'name'> {
  const id = fields.id ?? buildId('ten')
  return { id, name: fields.name ?? `tenant ${id}` }
}
