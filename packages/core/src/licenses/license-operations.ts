import { optional } from 'superstruct'
import { unixSeconds } from '../clock.ts'
import { operationOf } from '../operations/operation.ts'
import { Problem } from '../problem.ts'
import type { Tenants } from '../tenants/tenants.ts'
import { instant, text } from '../validation.ts'
import type { License } from './license.ts'
import type { Licenses } from './licenses.ts'

interface Services {
  readonly licenses: Licenses
  readonly tenants: Tenants
}

const operation = operationOf<Services>()

/** Returns a license as operators see it; instants in unix seconds. */
export const licenseView = (license: License) => ({
  id: license.id,
  ...(license.tenantId === undefined ? {} : { tenant_id: license.tenantId }),
  label: license.label,
  status: license.status,
  ...(license.expiresAt === undefined ? {} : { expires_at: unixSeconds(license.expiresAt) }),
  created_at: unixSeconds(license.createdAt),
})
/** A license as operators see it. */
export type LicenseView = ReturnType<typeof licenseView>

const changing = (verb: 'suspend' | 'reinstate' | 'revoke', summary: string) =>
  operation({
    name: `licenses.${verb}`,
    summary,
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    input: { license: text(1, 512) },
    run: async ({ licenses }, { license }) => {
      const id = license.startsWith('lic_') ? license : await issuedId(licenses, license)
      return { license: licenseView(await licenses[verb](id)) }
    },
  })

async function issuedId(licenses: Licenses, key: string): Promise<string> {
  const found = await licenses.byKey(key)
  if (found !== undefined) return found.id
  throw new Problem('not-found', {
    detail: 'no issued license has this id or key; svc licenses list shows them',
  })
}

/** Operations of licenses. */
export const licenseOperations = [
  operation({
    name: 'licenses.issue',
    summary: 'issue a license; its key is shown once',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    input: { tenant: optional(text(1, 128)), label: optional(text(0, 128)), expires: optional(instant()) },
    run: async ({ licenses, tenants }, { tenant, label, expires }) => {
      const tenantId = tenant === undefined ? undefined : (await tenants.resolve(tenant)).id
      const expiresAt = expires === undefined ? undefined : new Date(expires)
      const { license, key } = await licenses.issue({ tenantId, label, expiresAt })
      return { license: licenseView(license), key }
    },
  }),
  operation({
    name: 'licenses.list',
    summary: 'list the issued licenses',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    input: {},
    run: async ({ licenses }) => ({ licenses: (await licenses.list()).map(licenseView) }),
  }),
  changing('suspend', 'bar a license until it is reinstated; its hosts are refused from the next request on'),
  changing('reinstate', 'lift a suspension'),
  changing('revoke', 'end a license for good'),
]
