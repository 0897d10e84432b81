import type { LogWrite } from '@svc/core'
import { inJobs, type PlantedBug, patch } from './planted-bug.ts'

/** Logs with the request changed before it is stored. */
const changing = (name: string, wrong: (write: LogWrite) => LogWrite): PlantedBug =>
  inJobs(name, (jobs) => ({ appendLogs: (write) => jobs.appendLogs(wrong(write)) }))

/** Faults in logs. */
export const logBugs: readonly PlantedBug[] = [
  changing('logs: a repeated offset is stored twice', (write) => ({ ...write, offset: undefined })),
  changing('logs: the idempotency key is ignored', (write) => ({ ...write, idempotencyKey: undefined })),
  changing('logs: the host is not asked for', (write) => ({ ...write, fingerprint: undefined })),
  changing('logs: the attempt is not asked for', (write) => ({ ...write, attempt: undefined })),
  changing('logs: lines change their order', (write) => ({ ...write, lines: write.lines.toReversed() })),
  changing('logs: a line is dropped', (write) => ({ ...write, lines: write.lines.slice(0, 3) })),
  inJobs('logs: a gap is stored', (jobs) => ({
    appendLogs: async (write) => {
      const outcome = await jobs.appendLogs(write)
      const isGap = outcome?.accepted === 0 && write.lines.length > 0
      return isGap ? jobs.appendLogs({ ...write, offset: undefined }) : outcome
    },
  })),
  inJobs('logs: taken for ever after the end', (jobs, seam) => ({
    appendLogs: (write) => {
      const row = seam.tables.jobs.get(write.jobId)
      if (row?.job.finishedAt === undefined) return jobs.appendLogs(write)
      seam.tables.jobs.put(write.jobId, { ...row, job: { ...row.job, finishedAt: seam.now() } })
      const outcome = jobs.appendLogs(write)
      patch(seam, write.jobId, () => row)
      return outcome
    },
  })),
  inJobs('logs: the lease is not renewed', (jobs, seam) => ({
    appendLogs: async (write) => {
      const before = seam.tables.jobs.get(write.jobId)
      const outcome = await jobs.appendLogs(write)
      if (before !== undefined) patch(seam, write.jobId, () => before)
      return outcome
    },
  })),
  {
    name: 'logs: acknowledged before they are committed',
    seams: {
      storage: (storage, { timeline, life }) => {
        const appendLogs = async (write: LogWrite) => {
          const job = await storage.jobs.get(write.jobId)
          const isOwned = job?.claimedBy === write.fingerprint && job?.attempt === write.attempt
          if (job === undefined || !isOwned || write.offset === undefined)
            return storage.jobs.appendLogs(write)
          timeline.after(2000, 'late commit', () => {
            if (!life.isOver) void storage.jobs.appendLogs(write).catch(() => {})
          })
          const count = write.lines.length
          return { accepted: count, stored: count, next: write.offset + count, job }
        }
        return { ...storage, jobs: { ...storage.jobs, appendLogs } }
      },
    },
  },
]
