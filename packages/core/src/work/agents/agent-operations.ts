import { optional } from 'superstruct'
import type { Scope } from '../../kernel/scope.ts'
import { flag, text } from '../../kernel/validation.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import type { Agent } from './agent.ts'
import type { Agents } from './agents.ts'
import type { AgentChange } from './agents-store.ts'
import { HOST_ANSWERS } from './host-answers.ts'

/** The services that operations on hosts use. */
export interface AgentUses {
  readonly agents: Pick<Agents, 'backups' | 'change' | 'forget' | 'overview' | 'resolve' | 'servers' | 'show'>
  readonly licenses: Pick<Licenses, 'resolve' | 'within'>
}

const operation = operationOf<AgentUses>()

const license = optional(text(1, 512))
const host = text(1, 512)

async function hostOf(
  scope: Scope,
  { agents, licenses }: AgentUses,
  named: { readonly host: string; readonly license?: string | undefined },
): Promise<Agent> {
  return agents.resolve(await licenses.within(scope, named.license), named.host)
}

const changing = (name: string, summary: string, change: AgentChange) =>
  operation({
    name: `fleet.${name}`,
    summary,
    permission: 'platform.deploy',
    scope: 'tenant',
    changes: true,
    input: { host, license },
    answer: HOST_ANSWERS.server,
    run: async (services, input, { scope }) => {
      const agent = await hostOf(scope, services, input)
      return { server: await services.agents.change(agent, change) }
    },
  })

/** Operations of operators on hosts. */
export const agentOperations = [
  operation({
    name: 'fleet.servers',
    summary: 'list the hosts',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    licensed: true,
    input: {},
    answer: HOST_ANSWERS.servers,
    run: async ({ agents }, _input, { scope }, { licenseId, isCaller }) => ({
      servers: await (isCaller && licenseId !== undefined
        ? agents.servers(licenseId)
        : agents.overview(scope)),
    }),
  }),
  operation({
    name: 'fleet.backups',
    summary: 'list the backups of the hosts',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    input: { license, host: optional(host) },
    answer: HOST_ANSWERS.backups,
    run: async ({ agents, licenses }, input, { scope }) => ({
      backups: await agents.backups(await licenses.within(scope, input.license), input.host),
    }),
  }),
  operation({
    name: 'fleet.show',
    summary: 'show everything that is known of one host',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    input: { host, license },
    answer: HOST_ANSWERS.show,
    run: async (services, input, { scope }) => {
      const agent = await hostOf(scope, services, input)
      return { server: await services.agents.show(agent) }
    },
  }),
  changing('drain', 'give a host no new jobs; it finishes its running ones', { drained: true }),
  changing('undrain', 'let a drained host take jobs again', { drained: false }),
  operation({
    name: 'fleet.label',
    summary: "set the operator's name of a host; empty removes it",
    permission: 'platform.deploy',
    scope: 'tenant',
    changes: true,
    input: { host, license, label: text(0, 128) },
    answer: HOST_ANSWERS.server,
    run: async (services, input, { scope }) => {
      const agent = await hostOf(scope, services, input)
      return { server: await services.agents.change(agent, { label: input.label }) }
    },
  }),
  operation({
    name: 'fleet.forget',
    summary: 'take a host that is gone off the list',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    input: { host, license, force: optional(flag()) },
    answer: HOST_ANSWERS.server,
    run: async (services, input, { scope }) => {
      const agent = await hostOf(scope, services, input)
      const server = await services.agents.change(agent, {})
      await services.agents.forget(agent, input.force)
      return { server }
    },
  }),
]
