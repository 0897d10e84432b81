import type { Deployment } from './deployment.ts'

/** A new deployment, stored in the same transaction as its job. */
export type NewDeployment = Omit<Deployment, 'state' | 'createdAt'>

/** Filter for a list of deployments. */
export interface DeploymentFilter {
  readonly licenseId?: string
  readonly app?: string
  readonly limit: number
}

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly deployments: DeploymentsStore
  }
}

/** Storage of deployments. A deployment's state is its job's. Lists are newest first. */
export interface DeploymentsStore {
  add(deployment: NewDeployment, now?: Date): Promise<void>
  get(id: string): Promise<Deployment | undefined>
  list(filter: DeploymentFilter): Promise<readonly Deployment[]>
}
