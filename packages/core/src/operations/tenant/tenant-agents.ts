import type { Agent } from '../../agents/agent.ts'
import type { OperatedAgents } from '../../agents/agent-operations.ts'
import { type Agents, noHost } from '../../agents/agents.ts'
import type { AgentChange } from '../../agents/agents-store.ts'
import { hostCalled } from '../../agents/host-name.ts'
import { inOrderOf } from './in-order.ts'
import type { TenantLicenses } from './tenant-licenses.ts'

/** The hosts of one tenant. Others do not exist for it. */
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
    return this.#agents.overviewOf(await this.list(licenseId))
  }

  async backups(licenseId?: string, hostname?: string) {
    return this.#agents.backupsOf(await this.list(licenseId), hostname)
  }

  async list(licenseId?: string): Promise<readonly Agent[]> {
    const agents = await this.#licenses.reads(licenseId, (id) => this.#agents.list(id))
    return agents.sort(inOrderOf((agent) => [agent.hostname, agent.fingerprint, agent.licenseId]))
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
