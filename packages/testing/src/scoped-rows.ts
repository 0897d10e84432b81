import type { Scope } from '@svc/core'
import type { MemoryTables } from './memory-tables.ts'

/** The owner of a row: a license, or a tenant. */
interface Owned {
  readonly licenseId?: string | undefined
  readonly tenantId?: string | undefined
}

/** Returns whether a row is in a scope, as the condition of scoped statements has it. */
export function isWithin({ licenses }: MemoryTables, scope: Scope, { licenseId, tenantId }: Owned): boolean {
  if (scope.of === 'platform') return true
  if (scope.of === 'license') return licenseId === scope.id
  // A license decides, whatever tenant its thing also names.
  return (licenseId === undefined ? tenantId : licenses.get(licenseId)?.tenantId) === scope.id
}
