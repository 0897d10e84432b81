import type { Job, JobState } from '@svc/core'
import type { MemoryJob } from '../../jobs/memory-job.ts'

// The rules of jobs as the documents put them, written down anew: a check that asked the product what is
// right would find nothing wrong.

/** Whether a host owns a job in this state. */
export const isHeld = (state: JobState | undefined): boolean => state === 'claimed' || state === 'running'
/** Whether a job in this state has ended. */
export const isEnded = (state: JobState | undefined): boolean => state === 'succeeded' || state === 'failed'

/** Whether a held job must not be handed out again once its lease has passed. */
export const isSpent = ({ lost, maxAttempts, cancel }: Job): boolean =>
  lost + 1 >= maxAttempts || cancel !== undefined

/** Who a write says it comes from. */
export interface Writer {
  readonly jobId: string
  readonly licenseId: string
  readonly fingerprint: string | undefined
  readonly attempt: number | undefined
}

/** Whether `writer` holds the job, or held it last: license, host and, when given, the attempt. */
export const isOwner = ({ job }: MemoryJob, { licenseId, fingerprint, attempt }: Writer): boolean =>
  job.licenseId === licenseId &&
  job.claimedBy !== undefined &&
  job.claimedBy === fingerprint &&
  (attempt === undefined || attempt === job.attempt)

/** Share of a lease that is left at least after an accepted write of the owner. */
const LEAST_LEFT = 0.8

/** Whether a job's lease lasts as long as an accepted write of its owner promises. */
export const isRenewed = (row: MemoryJob, now: Date, leaseSeconds: number): boolean =>
  row.place - now.getTime() >= LEAST_LEFT * leaseSeconds * 1000

/** Whether only these fields of a job differ. */
export function differsIn(before: MemoryJob, after: MemoryJob, fields: readonly (keyof Job)[]): boolean {
  const keys = Object.keys(after.job) as (keyof Job)[]
  return keys.every((key) => fields.includes(key) || Object.is(before.job[key], after.job[key]))
}

/** One line that names a row. */
export const spell = (row: MemoryJob | undefined): string => {
  if (row === undefined) return 'no job'
  const { id, state, claimedBy, attempt, lost, licenseId } = row.job
  return `${id} of ${licenseId} (${state}, by ${claimedBy ?? 'nobody'}, attempt ${attempt}, lost ${lost}, until ${row.place})`
}
