import type { JobsStore, LeaseAnswer, LeaseRequest } from '@svc/core'
import type { SimulationSeams, StoresSeam } from '@svc/testing'

/** A fault that the checks of the simulator must find. */
export interface PlantedBug {
  readonly name: string
  /** The promises that it breaks: whichever is seen broken first. */
  readonly rules: readonly string[]
  readonly seams: SimulationSeams
}

/** A row of the queue. */
export type Row = ReturnType<StoresSeam['tables']['jobs']['all']>[number]

/** The jobs store with some methods done wrong. */
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

/** Hands `row` out whatever its state, as a claim does. */
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

/** Changes a row in place of the statement that should have. */
export function patch({ tables }: StoresSeam, jobId: string, change: (row: Row) => Row): void {
  const row = tables.jobs.get(jobId)
  if (row !== undefined) tables.jobs.put(jobId, change(row))
}

/** Runs `work` while some rows look different, and puts those back that it left alone. */
export async function disguised<T>(
  { tables }: StoresSeam,
  rows: readonly Row[],
  as: (row: Row) => Row,
  work: () => Promise<T>,
): Promise<T> {
  const masks = rows.map((row) => ({ row, mask: as(row) }))
  for (const { row, mask } of masks) tables.jobs.put(row.job.id, mask)
  // The statement has its effect as it is called.
  const result = work()
  for (const { row, mask } of masks)
    if (tables.jobs.get(row.job.id) === mask) tables.jobs.put(row.job.id, row)
  return result
}
