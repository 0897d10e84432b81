import { featureOf } from '../../platform/feature.ts'
import { type TenantServices, tenantOperations } from './tenant-operations.ts'
import { Tenants } from './tenants.ts'

/** The customers of the service. */
export const tenants = featureOf()({
  sql: () => import('./tenants-store-sql.ts'),
  services: (base): TenantServices => ({ tenants: new Tenants(base) }),
  operations: tenantOperations,
})
