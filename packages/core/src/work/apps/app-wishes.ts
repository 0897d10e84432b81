import type { AppSettings } from './app.ts'

/** How a job of an app is made. */
export interface JobWish {
  readonly kind?: 'deploy' | 'redeploy'
  /** Whether the host replaces the processes also when the same release runs. */
  readonly restart?: boolean | undefined
  /** Whether the release gets the variables that it had. */
  readonly withEnv?: boolean | undefined
  /** Instances of processes, in place of the counts of the definition. */
  readonly scale?: Readonly<Record<string, number>> | undefined
  /** Whether visitors are turned away while the processes run. */
  readonly maintenance?: boolean | undefined
  /** The maker of the job, as the audit log names operators. */
  readonly madeBy?: string | undefined
}
/** Settings of a new app. */
export type NewAppSettings = Omit<AppSettings, 'moreHosts'> & Partial<Pick<AppSettings, 'moreHosts'>>
/** The commit that is deployed, and how. */
export interface DeployWish extends Pick<JobWish, 'restart' | 'madeBy'> {
  readonly sha?: string | undefined
  readonly ref?: string | undefined
  /** Whether the commit was sent to the app's host. */
  readonly uploaded?: boolean | undefined
}
/** How an earlier release is deployed again. */
export type RollbackWish = Pick<JobWish, 'withEnv' | 'madeBy'>
/** How an app is started or stopped. */
export interface RunWish extends Omit<JobWish, 'kind'> {
  /** The host, in place of the app's own. */
  readonly fingerprint?: string | undefined
}
