import type { JobState } from '../jobs/job.ts'

/**
 * One attempt to bring an application to a source. Its `state` is its job's, read through the job: the two
 * cannot disagree (spec, Job: the status of a job is mirrored onto a deployment).
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
