import { Problem } from '../problem.ts'
import type { Storage } from '../storage/storage.ts'
import type { Deployment } from './deployment.ts'
import type { DeploymentFilter } from './deployments-store.ts'

/** What hosts were asked to bring up, and how it went. */
export class Deployments {
  readonly #storage: Storage

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /**
   * @throws Problem `not-found`
   */
  async get(id: string): Promise<Deployment> {
    const deployment = await this.#storage.deployments.get(id)
    if (deployment === undefined) throw new Problem('not-found', { detail: `there is no deployment ${id}` })
    return deployment
  }

  /** Newest first. */
  list(filter: DeploymentFilter): Promise<readonly Deployment[]> {
    return this.#storage.deployments.list(filter)
  }
}
