import { unixSeconds } from '../../kernel/clock.ts'
import { listOf, namedShape, text, whole } from '../../kernel/validation.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import type { Tenants } from './tenants.ts'
import type { Tenant } from './tenants-store.ts'

/** The services that operations on tenants use. */
export interface TenantServices {
  readonly tenants: Tenants
}

const operation = operationOf<TenantServices>()

/** Returns a tenant as operators see it. */
const tenantView = ({ id, name, createdAt }: Tenant) => ({
  id,
  name,
  created_at: unixSeconds(createdAt),
})
/** A tenant as operators see it. */
export type TenantView = ReturnType<typeof tenantView>

const tenant = namedShape('Tenant', {
  id: text(1, 64),
  name: text(1, 128),
  created_at: whole(0, Number.MAX_SAFE_INTEGER),
})

/** Operations on tenants. */
export const tenantOperations = [
  operation({
    name: 'tenants.add',
    summary: 'add a tenant',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    input: { name: text(1, 128) },
    answer: { tenant },
    run: async ({ tenants }, { name }) => ({ tenant: tenantView(await tenants.add(name)) }),
  }),
  operation({
    name: 'tenants.list',
    summary: 'list the tenants',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    input: {},
    answer: { tenants: listOf(tenant, Number.POSITIVE_INFINITY) },
    run: async ({ tenants }, _input, { scope }) => ({ tenants: (await tenants.list(scope)).map(tenantView) }),
  }),
]
