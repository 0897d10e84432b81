import { isHeld, type Job } from '@svc/core'
import { isSpent, type LeaseAnswer, type LeaseRequest, leaseEnd, needsRenewal } from '@svc/core/ports'
import type { MemoryTable } from '../../memory-table.ts'
import { byBytes } from '../../text-order.ts'
import { endLost } from './job-end-memory.ts'
import type { QueueTables } from './job-queue-memory.ts'
import { byPlace, changed, type MemoryJob } from './memory-job.ts'

type JobTable = MemoryTable<MemoryJob>

/** Hands out one job. Ends jobs before it in the queue that must not be handed out again. */
export function lease(tables: QueueTables, request: LeaseRequest, drained: boolean, now: Date): LeaseAnswer {
  const { jobs } = tables
  const found = repeated(jobs, request, now) ?? (drained ? { ended: [] } : next(tables, request, now))
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

function next(tables: QueueTables, request: LeaseRequest, now: Date) {
  const { jobs } = tables
  const ended = []
  // The end of a job may make the next job of its serial key due, so each round looks at the queue again.
  for (let row = head(jobs, request, now); row !== undefined; row = head(jobs, request, now)) {
    const isLost = row.job.state !== 'pending'
    if (!isLost || !isSpent(row.job)) {
      const job = taken(jobs, row, request, now)
      return { job, how: isLost ? ('reclaimed' as const) : ('new' as const), ended }
    }
    ended.push(endLost(tables, row, now))
  }
  return { ended }
}

const head = (jobs: JobTable, request: LeaseRequest, now: Date): MemoryJob | undefined =>
  jobs
    .group(request.licenseId)
    .filter(({ job, place }) => mayTake(job, request) && place <= now.getTime())
    .reduce<MemoryJob | undefined>(
      (first, row) => (first && byPlace(first, row) < 0 ? first : row),
      undefined,
    )

const mayTake = ({ target, kind }: Job, { fingerprint, kinds }: LeaseRequest): boolean =>
  (target === '' || target === fingerprint) && (kinds === undefined || kinds.includes(kind))

function taken(jobs: JobTable, row: MemoryJob, request: LeaseRequest, now: Date): Job {
  const { state, attempt, lost } = row.job
  const { fingerprint, leaseSeconds, claimKey } = request
  const owner = { claimedBy: fingerprint, claimedAt: now, startedAt: undefined, attempt: attempt + 1 }
  const fields = { ...owner, state: 'claimed' as const, lost: state === 'pending' ? lost : lost + 1 }
  const held = changed(row, fields, { claimKey, place: leaseEnd(now, leaseSeconds).getTime() })
  jobs.put(held.job.id, held)
  return held.job
}

/** Renews the lease of a held job when little of it is left. */
export function renewed(jobs: JobTable, row: MemoryJob, leaseSeconds: number, now: Date): MemoryJob {
  if (!isHeld(row.job.state) || !needsRenewal(new Date(row.place), now, leaseSeconds)) return row
  const next = changed(row, {}, { place: leaseEnd(now, leaseSeconds).getTime() })
  jobs.put(row.job.id, next)
  return next
}

/** Returns the jobs that a host holds and should stop. */
export const cancelling = (
  jobs: JobTable,
  { licenseId, fingerprint }: Pick<LeaseRequest, 'licenseId' | 'fingerprint'>,
): string[] =>
  jobs
    .group(licenseId)
    .filter(({ job }) => job.claimedBy === fingerprint && job.cancel !== undefined && isHeld(job.state))
    .map(({ job }) => job.id)
    .sort(byBytes)
