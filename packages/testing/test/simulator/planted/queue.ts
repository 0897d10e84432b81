import { inJobs, isHeld, type PlantedBug, patch, type Row } from './planted-bug.ts'

const isFailing = ({ job }: Row): boolean => job.cancel !== undefined

/** Faults in making, ordering, cancelling and sweeping jobs. */
export const queueBugs: readonly PlantedBug[] = [
  inJobs('serial key: the next job is never let go', (jobs, seam) => ({
    report: async (write) => {
      const waiting = seam.tables.jobs.all().filter(({ place }) => place === Number.POSITIVE_INFINITY)
      const outcome = await jobs.report(write)
      for (const row of waiting) patch(seam, row.job.id, () => row)
      return outcome
    },
  })),
  inJobs('serial key: not looked at when a job is made', (jobs, seam) => ({
    enqueue: async (job) => {
      const made = await jobs.enqueue({ ...job, serialKey: undefined })
      const { serialKey } = job
      if (made.created) patch(seam, job.id, (row) => ({ ...row, job: { ...row.job, serialKey } }))
      return made
    },
  })),
  inJobs('dedupe key: not looked at', (jobs, seam) => ({
    enqueue: async (job) => {
      const made = await jobs.enqueue({ ...job, dedupeKey: undefined })
      const { dedupeKey } = job
      patch(seam, job.id, (row) => ({ ...row, job: { ...row.job, dedupeKey } }))
      return made
    },
  })),
  {
    name: 'deployment: stored outside the transaction of its job',
    seams: { storage: (storage) => ({ ...storage, transaction: (work) => work(storage) }) },
  },
  inJobs('cancel: the license is not asked for', (jobs) => ({
    requestCancel: (write) => jobs.requestCancel({ ...write, licenseId: undefined }),
  })),
  inJobs('cancel: the host is not asked for', (jobs) => ({
    requestCancel: (write) => jobs.requestCancel({ ...write, fingerprint: undefined }),
  })),
  inJobs('cancel: a held job goes back to the queue', (jobs, seam) => ({
    requestCancel: async (write) => {
      const outcome = await jobs.requestCancel(write)
      if (outcome?.effect === 'requested')
        patch(seam, write.jobId, (row) => ({
          ...row,
          place: seam.now().getTime(),
          job: { ...row.job, state: 'pending', claimedBy: undefined },
        }))
      return outcome
    },
  })),
  inJobs('cancel: forgotten when the job is held', (jobs, seam) => ({
    requestCancel: async (write) => {
      const before = seam.tables.jobs.get(write.jobId)
      const outcome = await jobs.requestCancel(write)
      if (outcome?.effect === 'requested' && before !== undefined) patch(seam, write.jobId, () => before)
      return outcome
    },
  })),
  inJobs('sweep: a cancel need not be confirmed', (jobs, seam) => ({
    sweep: async () => {
      const result = await jobs.sweep()
      for (const row of seam.tables.jobs.all().filter((each) => isHeld(each) && isFailing(each)))
        patch(seam, row.job.id, () => ({
          ...row,
          job: { ...row.job, state: 'failed', claimedBy: undefined, finishedAt: seam.now() },
        }))
      return result
    },
  })),
  inJobs('sweep: does nothing', () => ({ sweep: async () => ({ timedOut: [], ended: [] }) })),
]
