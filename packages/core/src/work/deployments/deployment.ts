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
  readonly createdAt: Date
}
