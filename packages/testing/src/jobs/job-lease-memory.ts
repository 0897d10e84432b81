import { isHeld, isSpent, type LeaseAnswer, type LeaseRequest, leaseEnd, needsRenewal } from '@svc/core'
import type { MemoryTable } from '../memory-table.ts'
import { byBytes } from '../text-order.ts'
import { endLost } from './job-end-memory.ts'
import { byPlace, changed, type MemoryJob } from './memory-job.ts'

type JobTable = MemoryTable<MemoryJob>

/** Hands out one job; jobs in its way that must not be handed out again are ended. */
export function lease(jobs: JobTable, request: LeaseRequest, drained: boolean, now: Date): LeaseAnswer {
  const found = repeated(jobs, request, now) ?? (drained ? { ended: [] } : next(jobs, request, now))
  return { job: undefined, how: undefined, ended: [], ...found, drained, cancel: cancelling(jobs, request) }
}

function repeated(jobs: JobTable, request: LeaseRequest, now: Date) {
  const { licenseId, fingerprint, claimKey, leaseSeconds } = request
  const row = jobs
    .group(licenseId)
    .find(
      (each) =>
        claimKey !== undefined &&
        each.claimKey === claimKey &&
        each.job.state === 'claimed' &&
        each.job.claimedBy === fingerprint,
    )
  if (row === undefined) return undefined
  return { job: renewed(jobs, row, leaseSeconds, now).job, how: 'repeated' as const }
}

function next(jobs: JobTable, request: LeaseRequest, now: Date) {
  const { licenseId, fingerprint, leaseSeconds, claimKey } = request
  const due = jobs
    .group(licenseId)
    .filter(({ job, place }) => (job.target === '' || job.target === fingerprint) && place <= now.getTime())
    .sort(byPlace)
  const ended = []
  for (const row of due) {
    const lost = row.job.state !== 'pending'
    if (lost && isSpent(row.job)) {
      ended.push(endLost(jobs, row, now))
      continue
    }
    const { attempt, lost: before } = row.job
    const owner = { claimedBy: fingerprint, claimedAt: now, startedAt: undefined, attempt: attempt + 1 }
    const fields = { ...owner, state: 'claimed' as const, lost: before + Number(lost) }
    const taken = changed(row, fields, { claimKey, place: leaseEnd(now, leaseSeconds).getTime() })
    jobs.put(taken.job.id, taken)
    return { job: taken.job, how: lost ? ('reclaimed' as const) : ('new' as const), ended }
  }
  return { ended }
}

/** Renews the lease of a held job when little of it is left. */
export function renewed(jobs: JobTable, row: MemoryJob, leaseSeconds: number, now: Date): MemoryJob {
  if (!isHeld(row.job.state) || !needsRenewal(new Date(row.place), now, leaseSeconds)) return row
  const next = changed(row, {}, { place: leaseEnd(now, leaseSeconds).getTime() })
  jobs.put(row.job.id, next)
  return next
}

/** The jobs a host holds that it should stop. */
export const cancelling = (
  jobs: JobTable,
  { licenseId, fingerprint }: Pick<LeaseRequest, 'licenseId' | 'fingerprint'>,
): string[] =>
  jobs
    .group(licenseId)
    .filter(({ job }) => job.claimedBy === fingerprint && job.cancel !== undefined && isHeld(job.state))
    .map(({ job }) => job.id)
    .sort(byBytes)
