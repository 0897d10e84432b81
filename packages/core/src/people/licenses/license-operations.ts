import { optional } from 'superstruct'
import { unixSeconds } from '../../kernel/clock.ts'
import { present, presentSeconds } from '../../kernel/present.ts'
import { Problem } from '../../kernel/problem.ts'
import { ofLicense, type Scope } from '../../kernel/scope.ts'
import { flag, instant, listOf, matching, namedShape, oneOf, text, whole } from '../../kernel/validation.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import type { Tenants } from '../tenants/tenants.ts'
import {
  BILLING_STATES,
  LICENSE_STATUSES,
  type License,
  type LicenseState,
  STATUS_REASONS,
} from './license.ts'
import type { Licenses } from './licenses.ts'

/** The services that operations on licenses use. */
export interface LicenseUses {
  readonly licenses: Licenses
  readonly tenants: Tenants
  readonly agents: { readonly list: (scope: Scope) => Promise<readonly unknown[]> }
}

const operation = operationOf<LicenseUses>()

const contact = matching(/^[^\s@]{1,64}@[^\s@]{1,189}$/, 'an email address')

/** Returns a license as operators see it, its status with `expired`; instants in unix seconds. */
export const licenseView = (license: License, status: LicenseState) => ({
  id: license.id,
  ...present('tenant_id', license.tenantId),
  label: license.label,
  status,
  ...present('status_reason', license.statusReason),
  ...present('tier', license.tier),
  ...present('contact_email', license.contactEmail),
  ...present('billing_state', license.billingState),
  ...presentSeconds('expires_at', license.expiresAt),
  created_at: unixSeconds(license.createdAt),
  ...(license.agentOnly ? { agent_only: true } : {}),
})
/** A license as operators see it. */
export type LicenseView = ReturnType<typeof licenseView>

const count = whole(0, Number.MAX_SAFE_INTEGER)
const word = text(0, 512)
/** The fields of a license in answers. */
export const LICENSE_VIEW = namedShape('License', {
  id: word,
  tenant_id: optional(word),
  label: word,
  status: oneOf([...LICENSE_STATUSES, 'expired']),
  status_reason: optional(oneOf(STATUS_REASONS)),
  tier: optional(word),
  contact_email: optional(word),
  billing_state: optional(oneOf(BILLING_STATES)),
  expires_at: optional(count),
  created_at: count,
  agent_only: optional(flag()),
})

const license = LICENSE_VIEW

const seen = (licenses: Licenses, license: License) => ({
  license: licenseView(license, licenses.stateOf(license)),
})

/** The end of a license. A license that has ended before it begins is a mistake. */
function endOf(licenses: Licenses, expires: string): Date {
  const end = new Date(expires)
  if (licenses.stateOf({ status: 'active', expiresAt: end }) === 'active') return end
  throw new Problem('invalid-input', { details: ['expires: expected a time that is not over'] })
}

const changing = (verb: 'suspend' | 'reinstate' | 'revoke', summary: string) =>
  operation({
    name: `licenses.${verb}`,
    summary,
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    input: { license: text(1, 512) },
    answer: { license },
    run: async ({ licenses }, { license }, { scope }) => {
      const { id } = await licenses.named(scope, license)
      return seen(licenses, await licenses[verb](id))
    },
  })

/** Operations of licenses. */
export const licenseOperations = [
  operation({
    name: 'licenses.issue',
    summary: 'issue a license; its key is shown once',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    input: {
      tenant: optional(text(1, 128)),
      label: optional(text(0, 128)),
      expires: optional(instant()),
      tier: optional(text(1, 64)),
      contact: optional(contact),
      agent_only: optional(flag()),
    },
    answer: { license, key: word },
    run: async ({ licenses, tenants }, { tenant, label, expires, tier, ...given }, { scope }) => {
      const { contact: contactEmail, agent_only: agentOnly } = given
      const tenantId = tenant === undefined ? undefined : (await tenants.resolve(scope, tenant)).id
      const expiresAt = expires === undefined ? undefined : endOf(licenses, expires)
      const { license, key } = await licenses.issue({
        tenantId,
        label,
        expiresAt,
        tier,
        contactEmail,
        agentOnly,
      })
      return { ...seen(licenses, license), key }
    },
  }),
  operation({
    name: 'licenses.list',
    summary: 'list the issued licenses',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    input: {},
    answer: { licenses: listOf(license, Number.POSITIVE_INFINITY) },
    run: async ({ licenses }, _input, { scope }) => ({
      licenses: (await licenses.list(scope)).map((each) => licenseView(each, licenses.stateOf(each))),
    }),
  }),
  operation({
    name: 'licenses.show',
    summary: 'show one license and how many hosts it has',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    input: { license: text(1, 512) },
    answer: { license, tenant: optional(word), hosts: count },
    run: async ({ licenses, tenants, agents }, { license }, { scope }) => {
      const found = await licenses.named(scope, license)
      const tenant =
        found.tenantId === undefined ? undefined : (await tenants.resolve(scope, found.tenantId)).name
      const hosts = (await agents.list(ofLicense(found.id))).length
      return { ...seen(licenses, found), ...present('tenant', tenant), hosts }
    },
  }),
  operation({
    name: 'licenses.rename',
    summary: 'give a license another label; empty removes it',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    input: { license: text(1, 512), label: text(0, 128) },
    answer: { license },
    run: async ({ licenses }, { license, label }, { scope }) => {
      const { id } = await licenses.named(scope, license)
      return seen(licenses, await licenses.rename(id, label))
    },
  }),
  operation({
    name: 'licenses.edit',
    summary: 'give a license another tier, or another address for messages about it',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    input: { license: text(1, 512), tier: optional(text(1, 64)), contact: optional(contact) },
    answer: { license },
    run: async ({ licenses }, { license, tier, contact: contactEmail }, { scope }) => {
      const { id } = await licenses.named(scope, license)
      return seen(licenses, await licenses.edit(id, { tier, contactEmail }))
    },
  }),
  operation({
    name: 'licenses.extend',
    summary: 'move the end of a license, or take it away',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    input: { license: text(1, 512), expires: optional(instant()), never: optional(flag()) },
    answer: { license },
    run: async ({ licenses }, { license, expires, never }, { scope }) => {
      const { id } = await licenses.named(scope, license)
      if ((expires === undefined) !== (never === true)) {
        throw new Problem('invalid-input', { details: ['expires: expected a time, or never as true'] })
      }
      const end = expires === undefined ? undefined : endOf(licenses, expires)
      return seen(licenses, await licenses.extend(id, end))
    },
  }),
  changing('suspend', 'bar a license until it is reinstated; its hosts are refused from the next request on'),
  changing('reinstate', 'lift a suspension'),
  changing('revoke', 'end a license for good'),
]
