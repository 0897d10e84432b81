import { optional } from 'superstruct'
import { unixSeconds } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Scope } from '../../kernel/scope.ts'
import { flag, listOf, oneOf, shape, text, whole } from '../../kernel/validation.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import { LICENSE_DEEDS, type LicenseDeed } from './license-deed.ts'
import type { LicenseDeeds } from './license-deeds.ts'
import { LICENSE_VIEW, licenseView } from './license-operations.ts'
import type { Licenses } from './licenses.ts'

/** The services that operations on deeds of licenses use. */
export interface LicenseDeedUses {
  readonly licenses: Licenses
  readonly licenseDeeds: LicenseDeeds
}

const operation = operationOf<LicenseDeedUses>()

const count = whole(0, Number.MAX_SAFE_INTEGER)
const calls = shape({
  license: text(1, 128),
  deed: oneOf(Object.keys(LICENSE_DEEDS) as LicenseDeed[]),
  calls: count,
  last_at: count,
})

/** The licenses that are meant: one, or all whose keys are open and that are not revoked. */
async function meant(scope: Scope, { licenses }: LicenseDeedUses, name: string | undefined, all = false) {
  if ((name === undefined) !== all)
    throw new Problem('invalid-input', { details: ['license: expected a license, or all as true'] })
  if (name !== undefined) return [await licenses.named(scope, name)]
  return (await licenses.list(scope)).filter(({ agentOnly, status }) => !agentOnly && status !== 'revoked')
}

/** Operations on the rights of license keys. */
export const licenseDeedOperations = [
  operation({
    name: 'licenses.restrict',
    summary: 'restrict a license key to acting for hosts; a dry run shows its other recent calls',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    input: { license: optional(text(1, 512)), all: optional(flag()), dry_run: optional(flag()) },
    answer: {
      licenses: listOf(LICENSE_VIEW, Number.POSITIVE_INFINITY),
      calls: listOf(calls, Number.POSITIVE_INFINITY),
    },
    run: async (services, { license, all, dry_run: isDry = false }, { scope }) => {
      const { licenses, licenseDeeds } = services
      const found = await meant(scope, services, license, all)
      const ids = new Set(found.map(({ id }) => id))
      const made = (await licenseDeeds.calls()).filter(({ licenseId }) => ids.has(licenseId))
      const left = []
      for (const each of found) left.push(isDry ? each : await licenseDeeds.setAgentOnly(each.id, true))
      return {
        licenses: left.map((each) => licenseView(each, licenses.stateOf(each))),
        calls: made.map(({ licenseId, lastAt, ...each }) => ({
          license: licenseId,
          ...each,
          last_at: unixSeconds(lastAt),
        })),
      }
    },
  }),
  operation({
    name: 'licenses.unrestrict',
    summary: 'lift the restriction of a license key to acting for hosts',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    input: { license: text(1, 512) },
    answer: { license: LICENSE_VIEW },
    run: async ({ licenses, licenseDeeds }, { license }, { scope }) => {
      const { id } = await licenses.named(scope, license)
      const opened = await licenseDeeds.setAgentOnly(id, false)
      return { license: licenseView(opened, licenses.stateOf(opened)) }
    },
  }),
]
