import type { Agent } from '../../agents/agent.ts'
import type { OperatedAgents } from '../../agents/agent-operations.ts'
import { type Agents, noHost } from '../../agents/agents.ts'
import type { AgentChange } from '../../agents/agents-store.ts'
import { hostCalled } from '../../agents/host-name.ts'
import type { TenantLicenses } from './tenant-licenses.ts'

/** The hosts of one tenant: those of others do not exist. */
export class TenantAgents implements OperatedAgents {
  readonly #agents: Agents
  readonly #licenses: TenantLicenses

  constructor(agents: Agents, licenses: TenantLicenses) {
    this.#agents = agents
    this.#licenses = licenses
  }

  async servers(licenseId: string) {
    await this.#licenses.require(licenseId)
    return this.#agents.servers(licenseId)
  }

  async overview(licenseId?: string) {
    return sorted(await this.#licenses.reads(licenseId, (id) => this.#agents.overview(id)))
  }

  async backups(licenseId?: string, hostname?: string) {
    return sorted(await this.#licenses.reads(licenseId, (id) => this.#agents.backups(id, hostname)))
  }

  async list(licenseId?: string): Promise<readonly Agent[]> {
    return sorted(await this.#licenses.reads(licenseId, (id) => this.#agents.list(id)))
  }

  async resolve(name: string, licenseId?: string): Promise<Agent> {
    return hostCalled(await this.list(licenseId), name, licenseId)
  }

  async show(agent: Agent) {
    await this.#require(agent)
    return this.#agents.show(agent)
  }

  async change(agent: Pick<Agent, 'licenseId' | 'fingerprint'>, change: AgentChange) {
    await this.#require(agent)
    return this.#agents.change(agent, change)
  }

  async forget(agent: Agent, isForced = false): Promise<void> {
    await this.#require(agent)
    await this.#agents.forget(agent, isForced)
  }

  async #require({ licenseId }: Pick<Agent, 'licenseId'>): Promise<void> {
    if (!(await this.#licenses.owns(licenseId))) throw noHost()
  }
}

/** Orders entries of several licenses by hostname, as those of one are. */
const sorted = <T extends { readonly hostname: string }>(entries: T[]): T[] =>
  entries.sort((one, other) => Number(one.hostname > other.hostname) - Number(one.hostname < other.hostname))
