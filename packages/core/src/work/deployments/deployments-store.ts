import type { JobState } from '../jobs/job.ts'

/**
 * A deployment of an application from a source. `state` is read from its job, so that the two cannot disagree
 * (spec, Job: the status of a job is mirrored onto a deployment).
 */
export interface Deployment {
  readonly id: string
  readonly licenseId: string
  readonly jobId: string
  readonly app: string
  readonly source: Readonly<Record<string, unknown>>
  readonly state: JobState
  /** Full fingerprint of the host that its job is for; `''` for any. */
  readonly target: string
  /** Its maker, as the audit log names operators, or the push; undefined when nobody noted it. */
  readonly madeBy: string | undefined
  readonly createdAt: Date
}

/** A new deployment, stored in the same transaction as its job. */
export type NewDeployment = Omit<Deployment, 'state' | 'target' | 'createdAt'>

/** Filter for a list of deployments. */
export interface DeploymentFilter {
  readonly licenseId?: string
  readonly app?: string
  readonly limit: number
}

/** An app by its license and name. */
export type DeployedApp = Pick<Deployment, 'licenseId' | 'app'>

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
  /** The newest deployment of each of some apps, in no order; apps without one are left out. */
  newestOf(apps: readonly DeployedApp[]): Promise<readonly Deployment[]>
}
