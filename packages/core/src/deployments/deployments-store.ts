import type { Deployment } from './deployment.ts'

/** A deployment to be stored in the transaction that stores its job. */
export type NewDeployment = Omit<Deployment, 'state' | 'createdAt'>

/** Which deployments to list, newest first. */
export interface DeploymentFilter {
  readonly licenseId?: string
  readonly app?: string
  readonly limit: number
}

/** Deployments; their state is their job's. */
export interface DeploymentsStore {
  add(deployment: NewDeployment, now?: Date): Promise<void>
  get(id: string): Promise<Deployment | undefined>
  list(filter: DeploymentFilter): Promise<readonly Deployment[]>
}
