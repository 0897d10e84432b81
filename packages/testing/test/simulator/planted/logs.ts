import { PLATFORM } from '@svc/core'
import type { LogWrite } from '@svc/core/ports'
import { inJobs, type PlantedBug, patch } from './planted-bug.ts'

/** A planted fault: each log request is changed by `wrong` before it is stored. */
const changing = (name: string, rules: readonly string[], wrong: (write: LogWrite) => LogWrite): PlantedBug =>
  inJobs(name, rules, (jobs) => ({ appendLogs: (write) => jobs.appendLogs(wrong(write)) }))

/** Faults in logs. */
export const logBugs: readonly PlantedBug[] = [
  changing('logs: a repeated offset is stored twice', ['I6 accepted lines'], (write) => ({
    ...write,
    offset: undefined,
  })),
  changing('logs: the idempotency key is ignored', ['I6 accepted lines'], (write) => ({
    ...write,
    idempotencyKey: undefined,
  })),
  inJobs('logs: the license is not asked for', ['I2 late lines are refused'], (jobs, { tables }) => ({
    appendLogs: (write) => {
      const licenseId = tables.jobs.get(write.jobId)?.job.licenseId ?? write.licenseId
      return jobs.appendLogs({ ...write, licenseId })
    },
  })),
  changing('logs: the host is not asked for', ['I2 late lines are refused'], (write) => ({
    ...write,
    fingerprint: undefined,
  })),
  changing('logs: the attempt is not asked for', ['I2 late lines are refused'], (write) => ({
    ...write,
    attempt: undefined,
  })),
  changing('logs: lines change their order', ['I5 lines stored once, in order'], (write) => ({
    ...write,
    lines: write.lines.toReversed(),
  })),
  changing('logs: a line is dropped', ['I6 accepted lines'], (write) => ({
    ...write,
    lines: write.lines.slice(0, 3),
  })),
  inJobs('logs: a gap is stored', ['I6 accepted lines'], (jobs) => ({
    appendLogs: async (write) => {
      const outcome = await jobs.appendLogs(write)
      const isGap = outcome?.accepted === 0 && write.lines.length > 0
      return isGap ? jobs.appendLogs({ ...write, offset: undefined }) : outcome
    },
  })),
  inJobs('logs: taken for ever after the end', ['I2 late lines are refused'], (jobs, seam) => ({
    appendLogs: (write) => {
      const row = seam.tables.jobs.get(write.jobId)
      if (row?.job.finishedAt === undefined) return jobs.appendLogs(write)
      seam.tables.jobs.put(write.jobId, { ...row, job: { ...row.job, finishedAt: seam.now() } })
      const outcome = jobs.appendLogs(write)
      patch(seam, write.jobId, () => row)
      return outcome
    },
  })),
  inJobs('logs: the lease is not renewed', ['lines renew the lease'], (jobs, seam) => ({
    appendLogs: async (write) => {
      const before = seam.tables.jobs.get(write.jobId)
      const outcome = await jobs.appendLogs(write)
      if (before !== undefined) patch(seam, write.jobId, () => before)
      return outcome
    },
  })),
  {
    name: 'logs: acknowledged before they are committed',
    rules: ['I5 acknowledged lines are kept', 'I2 late writes are refused'],
    seams: {
      storage: (storage, { timeline, life }) => {
        const appendLogs = async (write: LogWrite) => {
          const job = await storage.jobs.get(PLATFORM, write.jobId)
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
