import type { Handler } from '../../program/call.ts'
import { type TenantView, tenantsTable } from './tenants-list.ts'

/** Adds a tenant. */
export const addTenant: Handler<object> = async (call) => {
  const answer = await call.operate<{ tenant: TenantView }>('tenants.add', { name: call.arg(0) })
  call.print(answer, (page) => tenantsTable([answer.tenant], page))
}
