import { PLATFORM } from '@svc/core'
import { inJobs, isHeld, type PlantedBug, patch, type Row } from './planted-bug.ts'

const isFailing = ({ job }: Row): boolean => job.cancel !== undefined

/** Faults in enqueueing, ordering, cancelling and sweeping jobs. */
export const queueBugs: readonly PlantedBug[] = [
  inJobs('serial key: the next job is never let go', ['serial key: none stranded'], (jobs, seam) => ({
    report: async (write) => {
      const waiting = seam.tables.jobs.all().filter(({ place }) => place === Number.POSITIVE_INFINITY)
      const outcome = await jobs.report(write)
      for (const row of waiting) patch(seam, row.job.id, () => row)
      return outcome
    },
  })),
  inJobs('serial key: not looked at when a job is made', ['serial key: one at a time'], (jobs, seam) => ({
    enqueue: async (job) => {
      const made = await jobs.enqueue({ ...job, serialKey: undefined })
      const { serialKey } = job
      if (made.created) patch(seam, job.id, (row) => ({ ...row, job: { ...row.job, serialKey } }))
      return made
    },
  })),
  inJobs('dedupe key: not looked at', ['dedupe key is unique'], (jobs, seam) => ({
    enqueue: async (job) => {
      const made = await jobs.enqueue({ ...job, dedupeKey: undefined })
      const { dedupeKey } = job
      patch(seam, job.id, (row) => ({ ...row, job: { ...row.job, dedupeKey } }))
      return made
    },
  })),
  {
    name: 'deployment: stored outside the transaction of its job',
    rules: ['a deployment is stored with its job'],
    seams: { storage: (storage) => ({ ...storage, transaction: (work) => work(storage) }) },
  },
  {
    name: 'transaction: what failed is committed all the same',
    rules: ['a deployment is stored with its job'],
    seams: {
      storage: (storage) => ({
        ...storage,
        transaction: async (work) => {
          const failures: unknown[] = []
          const result = await storage.transaction((stores) =>
            work(stores).catch((error: unknown) => {
              failures.push(error)
              return undefined as never
            }),
          )
          if (failures.length > 0) throw failures[0]
          return result
        },
      }),
    },
  },
  inJobs('cancel: the license is not asked for', ['I7 own cancels only'], (jobs) => ({
    requestCancel: (_, write) => jobs.requestCancel(PLATFORM, write),
  })),
  inJobs('cancel: the host is not asked for', ['I7 own cancels only'], (jobs) => ({
    requestCancel: (scope, write) => jobs.requestCancel(scope, { ...write, fingerprint: undefined }),
  })),
  inJobs('cancel: a held job goes back to the queue', ['cancel asks the owner'], (jobs, seam) => ({
    requestCancel: async (scope, write) => {
      const outcome = await jobs.requestCancel(scope, write)
      if (outcome?.effect === 'requested')
        patch(seam, write.jobId, (row) => ({
          ...row,
          place: seam.now().getTime(),
          job: { ...row.job, state: 'pending', claimedBy: undefined },
        }))
      return outcome
    },
  })),
  inJobs('cancel: forgotten when the job is held', ['a cancel is kept'], (jobs, seam) => ({
    requestCancel: async (scope, write) => {
      const before = seam.tables.jobs.get(write.jobId)
      const outcome = await jobs.requestCancel(scope, write)
      if (outcome?.effect === 'requested' && before !== undefined) patch(seam, write.jobId, () => before)
      return outcome
    },
  })),
  inJobs('sweep: a cancel need not be confirmed', ['ended too early'], (jobs, seam) => ({
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
  inJobs('sweep: does nothing', ['I4 the sweep leaves none'], () => ({
    sweep: async () => ({ timedOut: [], ended: [] }),
  })),
]
