import type { Job, JobState } from '@svc/core'
import type { MemoryJob } from '../../work/jobs/memory-job.ts'

// The documented rules of jobs, implemented independently: a check that used the product's rules would not
// find their faults.

/** Whether a host owns a job in this state. */
export const isHeld = (state: JobState | undefined): boolean => state === 'claimed' || state === 'running'
/** Whether a job in this state has ended. */
export const isEnded = (state: JobState | undefined): boolean => state === 'succeeded' || state === 'failed'

/** Whether a held job must not be handed out again when its lease has ended. */
export const isSpent = ({ lost, maxAttempts, cancel }: Job): boolean =>
  lost + 1 >= maxAttempts || cancel !== undefined

/** The sender that a write names. */
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

/** The least share of a lease that is left after an accepted write of the owner. */
const LEAST_LEFT = 0.8

/** Whether a job's lease lasts as long as promised after an accepted write of its owner. */
export const isRenewed = (row: MemoryJob, now: Date, leaseSeconds: number): boolean =>
  row.place - now.getTime() >= LEAST_LEFT * leaseSeconds * 1000

/** Whether a job differs in no other fields than these. */
export function differsIn(before: MemoryJob, after: MemoryJob, fields: readonly (keyof Job)[]): boolean {
  const keys = Object.keys(after.job) as (keyof Job)[]
  return keys.every((key) => fields.includes(key) || Object.is(before.job[key], after.job[key]))
}

/** Returns one line that describes a row. */
export const spell = (row: MemoryJob | undefined): string => {
  if (row === undefined) return 'no job'
  const { id, state, claimedBy, attempt, lost, licenseId } = row.job
  return `${id} of ${licenseId} (${state}, by ${claimedBy ?? 'nobody'}, attempt ${attempt}, lost ${lost}, until ${row.place})`
}
