import { isHeld, isTerminal, type Job, type JobState } from '@svc/core'
import {
  GIVEN_BACK_ERROR,
  leaseEnd,
  needsRenewal,
  type Owner,
  type ReportedJob,
  reportEffect,
  type StatusOutcome,
  type StatusWrite,
  stateAfterReport,
} from '@svc/core/ports'
import type { MemoryTable } from '../../memory-table.ts'
import type { MemoryTables } from '../../memory-tables.ts'
import { follow } from './job-follow-memory.ts'
import { renewed } from './job-lease-memory.ts'
import { store } from './job-queue-memory.ts'
import { changed, type MemoryJob } from './memory-job.ts'

type JobTable = MemoryTable<MemoryJob>

/** Returns the row that `owner` holds or held last; undefined when another host is its owner. */
function owned(jobs: JobTable, owner: Owner): MemoryJob | undefined {
  const row = jobs.get(owner.jobId)
  const { licenseId, claimedBy, attempt } = row?.job ?? {}
  if (licenseId !== owner.licenseId || claimedBy !== owner.fingerprint) return undefined
  return owner.attempt === undefined || owner.attempt === attempt ? row : undefined
}

/** Writes a status report of the owner. */
export function report(tables: MemoryTables, write: StatusWrite, now: Date): StatusOutcome | undefined {
  const row = owned(tables.jobs, write)
  if (row === undefined) return undefined
  const before = row.job.state
  const state = stateAfterReport(before, write.state, row.job.cancel !== undefined)
  const stays = state === before && !needsRenewal(new Date(row.place), now, write.leaseSeconds)
  if (!isHeld(before) || stays) return { effect: reportEffect(before, before), job: reported(row.job) }
  const next = changed(row, fieldsAt(row.job, state, write, now), { place: placeAt(row, state, write, now) })
  // The job that follows is there before the key of both is passed on.
  if (state === 'succeeded') follow(tables, next, now)
  const job = store(tables, next)
  return { effect: reportEffect(before, state), job: reported(job) }
}

const reported = ({ id, kind, state, claimedAt, finishedAt, cancel }: Job): ReportedJob => ({
  id,
  kind,
  state,
  claimedAt,
  finishedAt,
  cancel,
})

function fieldsAt(job: Job, state: JobState, write: StatusWrite, now: Date): Partial<Job> {
  if (state === 'pending') return { state, claimedBy: undefined }
  if (state === 'running') return { state, startedAt: job.startedAt ?? now }
  if (!isTerminal(state)) return { state }
  const error = write.state === 'pending' ? GIVEN_BACK_ERROR : write.error
  return { state, finishedAt: now, exitCode: write.exitCode, error }
}

function placeAt(row: MemoryJob, state: JobState, { leaseSeconds }: StatusWrite, now: Date): number {
  if (isTerminal(state)) return row.place
  if (state === 'pending') return row.job.urgent ? Number.NEGATIVE_INFINITY : now.getTime()
  return needsRenewal(new Date(row.place), now, leaseSeconds)
    ? leaseEnd(now, leaseSeconds).getTime()
    : row.place
}

/**
 * Renews the leases of the jobs that a heartbeat lists, if the host still holds that attempt. Returns the ids
 * of the jobs whose lease moved.
 */
export function renew(
  jobs: JobTable,
  owners: readonly Owner[],
  leaseSeconds: number,
  now: Date,
): readonly string[] {
  const moved = new Set<string>()
  for (const owner of owners) {
    const row = owned(jobs, owner)
    if (row !== undefined && renewed(jobs, row, leaseSeconds, now).place !== row.place) moved.add(owner.jobId)
  }
  return [...moved]
}
