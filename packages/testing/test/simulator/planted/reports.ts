import type { Owner } from '@svc/core/ports'
import { inJobs, isHeld, type PlantedBug, patch } from './planted-bug.ts'

/** Faults in reports of owners: statuses, and the jobs that heartbeats list. */
export const reportBugs: readonly PlantedBug[] = [
  inJobs('status: the host is not asked for', ['I2 late writes change nothing'], (jobs, { tables }) => ({
    report: (write) => {
      const owner = tables.jobs.get(write.jobId)?.job.claimedBy
      return jobs.report({ ...write, fingerprint: owner ?? write.fingerprint })
    },
  })),
  inJobs('status: the license is not asked for', ['I2 late writes change nothing'], (jobs, { tables }) => ({
    report: (write) => {
      const licenseId = tables.jobs.get(write.jobId)?.job.licenseId ?? write.licenseId
      return jobs.report({ ...write, licenseId })
    },
  })),
  inJobs('status: the attempt is not asked for', ['I2 late writes change nothing'], (jobs) => ({
    report: (write) => jobs.report({ ...write, attempt: undefined }),
  })),
  inJobs('status: a terminal state is overwritten', ['I3 terminal is final'], (jobs, seam) => ({
    report: async (write) => {
      const outcome = await jobs.report(write)
      const isOther = outcome?.effect === 'ignored' && outcome.job.state !== write.state
      if (isOther && write.state !== 'pending')
        patch(seam, write.jobId, (row) => ({ ...row, job: { ...row.job, state: write.state } }))
      return outcome
    },
  })),
  inJobs('status: a job that was given back is written to', ['running follows claimed'], (jobs, seam) => ({
    report: async (write) => {
      const outcome = await jobs.report(write)
      const row = seam.tables.jobs.get(write.jobId)
      if (outcome !== undefined || row?.job.state !== 'pending' || row.job.attempt !== write.attempt)
        return outcome
      const job = { ...row.job, state: 'running' as const, claimedBy: write.fingerprint }
      patch(seam, write.jobId, (old) => ({ ...old, job }))
      return { effect: 'renewed', job }
    },
  })),
  inJobs(
    'status: giving back a cancelled job queues it again',
    ['a cancel never puts a job back'],
    (jobs, seam) => ({
      report: async (write) => {
        const before = seam.tables.jobs.get(write.jobId)
        const outcome = await jobs.report(write)
        const isWrong = write.state === 'pending' && outcome?.effect === 'finished' && before !== undefined
        if (!isWrong) return outcome
        const job = { ...before.job, state: 'pending' as const, claimedBy: undefined }
        patch(seam, write.jobId, () => ({ ...before, job, place: seam.now().getTime() }))
        return { effect: 'given-back', job }
      },
    }),
  ),
  inJobs('status: giving back counts as lost', ['giving back is not losing'], (jobs, seam) => ({
    report: async (write) => {
      const outcome = await jobs.report(write)
      if (outcome?.effect === 'given-back')
        patch(seam, write.jobId, (row) => ({ ...row, job: { ...row.job, lost: row.job.lost + 1 } }))
      return outcome
    },
  })),
  inJobs('status: the lease is not renewed', ['a report renews the lease'], (jobs, seam) => ({
    report: async (write) => {
      const before = seam.tables.jobs.get(write.jobId)
      const outcome = await jobs.report(write)
      const after = seam.tables.jobs.get(write.jobId)
      const isTaken = outcome !== undefined && before !== undefined && after !== undefined
      if (isTaken && isHeld(before) && isHeld(after))
        patch(seam, write.jobId, (row) => ({ ...row, place: before.place }))
      return outcome
    },
  })),
  inJobs('status: a running job steps back to claimed', ['state after a report'], (jobs, seam) => ({
    report: async (write) => {
      const outcome = await jobs.report(write)
      if (outcome?.effect === 'renewed' && write.state === 'running' && outcome.job.state === 'running')
        patch(seam, write.jobId, (row) => ({ ...row, job: { ...row.job, state: 'claimed' } }))
      return outcome
    },
  })),
  inJobs('status: an exhausted job loses more than it may', ['lost leases'], (jobs, seam) => ({
    sweep: async () => {
      const result = await jobs.sweep()
      for (const { id } of result.ended)
        patch(seam, id, (row) => ({ ...row, job: { ...row.job, lost: row.job.maxAttempts + 1 } }))
      return result
    },
  })),
  inJobs('heartbeat: anybody renews a lease', ['a lease is renewed by its owner'], (jobs, { tables }) => ({
    renew: (owners: readonly Owner[], leaseSeconds: number) => {
      const theirs = owners.map((owner) => {
        const job = tables.jobs.get(owner.jobId)?.job
        return { ...owner, fingerprint: job?.claimedBy ?? '', licenseId: job?.licenseId ?? '' }
      })
      return jobs.renew(theirs, leaseSeconds)
    },
  })),
  inJobs(
    'heartbeat: another host of the license renews a lease',
    ['a lease is renewed by its owner'],
    (jobs, { tables }) => ({
      renew: (owners: readonly Owner[], leaseSeconds: number) => {
        const theirs = owners.map((owner) => {
          const fingerprint = tables.jobs.get(owner.jobId)?.job.claimedBy ?? owner.fingerprint
          return { ...owner, fingerprint }
        })
        return jobs.renew(theirs, leaseSeconds)
      },
    }),
  ),
  inJobs(
    'heartbeat: a host of the same fingerprint in another license renews a lease',
    ['a lease is renewed by its owner'],
    (jobs, { tables }) => ({
      renew: (owners: readonly Owner[], leaseSeconds: number) => {
        const theirs = owners.map((owner) => {
          const licenseId = tables.jobs.get(owner.jobId)?.job.licenseId ?? owner.licenseId
          return { ...owner, licenseId }
        })
        return jobs.renew(theirs, leaseSeconds)
      },
    }),
  ),
  inJobs(
    'heartbeat: an old attempt renews the lease of a new one',
    ['a lease is renewed by its owner'],
    (jobs) => ({
      renew: (owners: readonly Owner[], leaseSeconds: number) =>
        jobs.renew(
          owners.map((owner) => ({ ...owner, attempt: undefined })),
          leaseSeconds,
        ),
    }),
  ),
  inJobs('heartbeat: the listed jobs are not renewed', ['a heartbeat renews the lease'], () => ({
    renew: async () => [],
  })),
]
