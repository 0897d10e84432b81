import type { JobsStore, LeaseAnswer, LeaseRequest } from '@svc/core/ports'
import type { SimulationSeams, StoresSeam } from '@svc/testing/simulator'

/** A fault that the checks of the simulator must find. */
export interface PlantedBug {
  readonly name: string
  /** The promises that it may break; checks may find any of them first. */
  readonly rules: readonly string[]
  readonly seams: SimulationSeams
}

/** A row of the queue. */
export type Row = ReturnType<StoresSeam['tables']['jobs']['all']>[number]

/** Returns a planted fault that replaces some methods of the jobs store by wrong ones. */
export const inJobs = (
  name: string,
  rules: readonly string[],
  wrong: (jobs: JobsStore, seam: StoresSeam) => Partial<JobsStore>,
): PlantedBug => ({
  name,
  rules,
  seams: { stores: (stores, seam) => ({ ...stores, jobs: { ...stores.jobs, ...wrong(stores.jobs, seam) } }) },
})

/** Whether a host holds the job. */
export const isHeld = ({ job }: Row): boolean => job.state === 'claimed' || job.state === 'running'

/** Hands out `row` as a claim does, in any state. */
export function take({ tables, now }: StoresSeam, row: Row, request: LeaseRequest, at = now()): LeaseAnswer {
  const place = at.getTime() + request.leaseSeconds * 1000
  const { attempt, lost } = row.job
  const job = {
    ...row.job,
    state: 'claimed' as const,
    claimedBy: request.fingerprint,
    claimedAt: at,
    startedAt: undefined,
    attempt: attempt + 1,
    lost: isHeld(row) ? lost + 1 : lost,
    availableAt: new Date(place),
  }
  tables.jobs.put(job.id, { ...row, job, place, claimKey: request.claimKey })
  return { job, how: 'new', cancel: [], drained: false, ended: [] }
}

/** Changes a row, in place of the statement that should have changed it. */
export function patch({ tables }: StoresSeam, jobId: string, change: (row: Row) => Row): void {
  const row = tables.jobs.get(jobId)
  if (row !== undefined) tables.jobs.put(jobId, change(row))
}

/** Runs `work` while `rows` look as `as` returns them, and restores the rows that `work` did not change. */
export async function disguised<T>(
  { tables }: StoresSeam,
  rows: readonly Row[],
  as: (row: Row) => Row,
  work: () => Promise<T>,
): Promise<T> {
  const masks = rows.map((row) => ({ row, mask: as(row) }))
  for (const { row, mask } of masks) tables.jobs.put(row.job.id, mask)
  // The statement takes effect when it is called.
  const result = work()
  for (const { row, mask } of masks)
    if (tables.jobs.get(row.job.id) === mask) tables.jobs.put(row.job.id, row)
  return result
}
