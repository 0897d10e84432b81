import { defaulted, optional } from 'superstruct'
import type { Scope } from '../../kernel/scope.ts'
import { flag, text, whole } from '../../kernel/validation.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import type { Agents } from '../../work/agents/agents.ts'
import type { NodeSecurity } from './node-security.ts'
import type { HostKey } from './node-security-store.ts'
import { securitySettings } from './security-settings.ts'
import { dryRunView, outcomeView, revisionView, SECURITY_ANSWERS, securityView } from './security-view.ts'

/** The seconds that a host may be told to wait for its confirmation. */
export const ROLLBACK_SECONDS = { min: 30, max: 300 } as const

/** The services that operations on the security of hosts use. */
export interface NodeSecurityUses {
  readonly agents: Pick<Agents, 'resolve'>
  readonly licenses: Pick<Licenses, 'within'>
  readonly nodeSecurity: NodeSecurity
}

const operation = operationOf<NodeSecurityUses>()

const host = { host: text(1, 512), license: optional(text(1, 512)) }
const revisionNumber = whole(0, 2_147_483_647)
const applying = {
  if_revision: optional(revisionNumber),
  force: defaulted(flag(), false),
  rollback_s: optional(whole(ROLLBACK_SECONDS.min, ROLLBACK_SECONDS.max)),
}

interface Named {
  readonly host: string
  readonly license?: string | undefined
}

interface Applying {
  readonly if_revision?: number | undefined
  readonly force: boolean
  readonly rollback_s?: number | undefined
}

async function hostOf(scope: Scope, { agents, licenses }: NodeSecurityUses, named: Named): Promise<HostKey> {
  const within = await licenses.within(scope, named.license)
  const { licenseId, fingerprint } = await agents.resolve(within, named.host)
  return { licenseId, fingerprint }
}

const optionsOf = (
  { if_revision: ifRevision, force, rollback_s: rollbackSeconds }: Applying,
  name: string,
) => ({
  ifRevision,
  force,
  rollbackSeconds,
  updatedBy: name,
})

// A firewall that can be seen can be searched for gaps: reading asks for the same permission as writing.
const common = { permission: 'platform.security', scope: 'platform' } as const

/** Operations on the firewall and hardening of hosts. */
export const nodeSecurityOperations = [
  operation({
    ...common,
    name: 'security.show',
    summary: 'show the firewall and hardening of a host, and whether they were applied',
    changes: false,
    input: host,
    answer: SECURITY_ANSWERS.show,
    run: async (services, input, { scope }) => {
      const key = await hostOf(scope, services, input)
      return securityView(key, await services.nodeSecurity.show(key))
    },
  }),
  operation({
    ...common,
    name: 'security.dry-run',
    summary: 'show the firewall rules that settings would become; nothing is changed',
    changes: false,
    input: { ...host, settings: securitySettings, force: applying.force },
    answer: SECURITY_ANSWERS.dryRun,
    run: async (services, { settings, force, ...input }, { name, scope }) => {
      const key = await hostOf(scope, services, input)
      return dryRunView(await services.nodeSecurity.dryRun(key, settings, { force, updatedBy: name }))
    },
  }),
  operation({
    ...common,
    name: 'security.set',
    summary: 'give a host a firewall and hardening, in place of those it had',
    changes: true,
    input: { ...host, settings: securitySettings, ...applying },
    answer: SECURITY_ANSWERS.set,
    run: async (services, { settings, ...input }, { name, scope }) => {
      const key = await hostOf(scope, services, input)
      return outcomeView(await services.nodeSecurity.set(key, settings, optionsOf(input, name)))
    },
  }),
  operation({
    ...common,
    name: 'security.reapply',
    summary: 'send the newest settings to their host once more',
    changes: true,
    input: { ...host, ...applying },
    answer: SECURITY_ANSWERS.set,
    run: async (services, input, { name, scope }) => {
      const key = await hostOf(scope, services, input)
      return outcomeView(await services.nodeSecurity.reapply(key, optionsOf(input, name)))
    },
  }),
  operation({
    ...common,
    name: 'security.history',
    summary: 'list the settings that a host was given, newest first',
    changes: false,
    input: { ...host, limit: defaulted(whole(1, 100), 20) },
    answer: SECURITY_ANSWERS.history,
    run: async (services, { limit, ...input }, { scope }) => {
      const key = await hostOf(scope, services, input)
      const revisions = await services.nodeSecurity.history(key, limit)
      return { fingerprint: key.fingerprint, revisions: revisions.map(revisionView) }
    },
  }),
  operation({
    ...common,
    name: 'security.rollback',
    summary: 'give a host the settings of an earlier revision again, as a new one',
    changes: true,
    input: { ...host, to: whole(1, 2_147_483_647), ...applying },
    answer: SECURITY_ANSWERS.set,
    run: async (services, { to, ...input }, { name, scope }) => {
      const key = await hostOf(scope, services, input)
      return outcomeView(await services.nodeSecurity.rollback(key, to, optionsOf(input, name)))
    },
  }),
]
