import { ofLicense } from '../../kernel/scope.ts'
import type { Job } from './job.ts'
import type { JobsStore } from './jobs-store.ts'
import { SUPERSEDED_ERROR } from './lease.ts'

/** The beginning of the error and the reason of a job that something newer took the place of. */
export const SUPERSEDED = 'superseded by '

/** Jobs that something newer takes the place of. */
export interface Superseding {
  readonly licenseId: string
  readonly jobIds: readonly string[]
  /** The name of their successor, for the error. */
  readonly by: string
  /** Whether jobs that hosts hold are asked to stop. */
  readonly alsoHeld: boolean
}

/** Ends the pending ones of the named jobs; returns them. */
export async function supersedeIn(
  jobs: JobsStore,
  { licenseId, jobIds, by, alsoHeld }: Superseding,
  now: Date | undefined,
): Promise<readonly Job[]> {
  if (jobIds.length === 0) return []
  const reason = `${SUPERSEDED}${by}`
  const ended = await jobs.supersede({ licenseId, jobIds, reason }, now)
  if (!alsoHeld) return ended
  const left = jobIds.filter((id) => !ended.some((job) => job.id === id))
  for (const jobId of left)
    await jobs.requestCancel(ofLicense(licenseId), { jobId, fingerprint: undefined, reason }, now)
  return ended
}

// More jobs of one kind than ever wait for one host.
const MOST_REPLACED = 1000

/** Ends the pending jobs of one kind that are aimed at one host; returns them. */
export async function endWaiting(
  jobs: JobsStore,
  { licenseId, kind, target }: Pick<Job, 'licenseId' | 'kind' | 'target'>,
  now: Date | undefined,
): Promise<readonly Job[]> {
  const filter = { state: 'pending', kind, host: target, limit: MOST_REPLACED } as const
  const waiting = await jobs.list(ofLicense(licenseId), filter)
  const jobIds = waiting.filter((job) => job.target === target).map(({ id }) => id)
  if (jobIds.length === 0) return []
  return jobs.supersede({ licenseId, jobIds, reason: SUPERSEDED_ERROR }, now)
}
