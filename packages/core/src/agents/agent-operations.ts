import { optional } from 'superstruct'
import { operation, type Services } from '../operations/operation.ts'
import { text } from '../validation.ts'
import type { AgentChange } from './agents-store.ts'

const license = optional(text(1, 512))
const host = text(1, 512)

async function scope({ licenses }: Services, idOrKey: string | undefined): Promise<string | undefined> {
  return idOrKey === undefined ? undefined : licenses.resolve(idOrKey)
}

const changing = (name: string, summary: string, change: AgentChange) =>
  operation({
    name: `fleet.${name}`,
    summary,
    permission: 'platform.deploy',
    changes: true,
    input: { host, license },
    run: async (services, input) => {
      const agent = await services.agents.resolve(input.host, await scope(services, input.license))
      return { server: await services.agents.change(agent, change) }
    },
  })

/** Operations of operators on hosts. */
export const agentOperations = [
  operation({
    name: 'fleet.servers',
    summary: 'list the hosts',
    permission: 'platform.read',
    changes: false,
    input: { license },
    run: async (services, input) => ({
      servers: await services.agents.overview(await scope(services, input.license)),
    }),
  }),
  operation({
    name: 'fleet.backups',
    summary: 'list the backups of the hosts',
    permission: 'platform.read',
    changes: false,
    input: { license, host: optional(host) },
    run: async (services, input) => ({
      backups: await services.agents.backups(await scope(services, input.license), input.host),
    }),
  }),
  changing('drain', 'give a host no new jobs; it finishes what it runs', { drained: true }),
  changing('undrain', 'let a drained host take jobs again', { drained: false }),
  operation({
    name: 'fleet.label',
    summary: "set the operator's name of a host; empty removes it",
    permission: 'platform.deploy',
    changes: true,
    input: { host, license, label: text(0, 128) },
    run: async (services, input) => {
      const agent = await services.agents.resolve(input.host, await scope(services, input.license))
      return { server: await services.agents.change(agent, { label: input.label }) }
    },
  }),
  operation({
    name: 'fleet.forget',
    summary: 'take a host off the list; it comes back with its next heartbeat',
    permission: 'platform.admin',
    changes: true,
    input: { host, license },
    run: async (services, input) => {
      const agent = await services.agents.resolve(input.host, await scope(services, input.license))
      const server = await services.agents.change(agent, {})
      await services.agents.forget(agent)
      return { server }
    },
  }),
]
