import { isTerminal, type Job } from '@svc/core'
import type { NewJob } from '@svc/core/ports'
import type { MemoryTable } from '../memory-table.ts'
import { byBytes, jsonCopy } from '../text-order.ts'
import { availableAt, type MemoryJob } from './memory-job.ts'

const AHEAD = Number.NEGATIVE_INFINITY
const WAITING = Number.POSITIVE_INFINITY

type JobTable = MemoryTable<MemoryJob>

/** Stores a job, or returns the unfinished job with the same dedupe key. */
export function enqueue(jobs: JobTable, job: NewJob, now: Date): { job: Job; created: boolean } {
  const payload = jsonCopy(job.payload)
  const unfinished = jobs.group(job.licenseId)
  const twin = unfinished.find((row) => job.dedupeKey !== undefined && row.job.dedupeKey === job.dedupeKey)
  if (twin !== undefined) return { job: twin.job, created: false }
  if (jobs.get(job.id) !== undefined) throw new Error(`there is a job ${job.id} already`)
  const waits = unfinished.some((row) => job.serialKey !== undefined && row.job.serialKey === job.serialKey)
  const dueAt = job.runAt ?? now
  const place = waits ? WAITING : placeWhenDue(job.urgent, dueAt, now)
  const row = { dueAt, place, claimKey: undefined }
  const stored: MemoryJob = {
    ...row,
    job: { ...newJob({ ...job, payload }, now), availableAt: availableAt(row) },
  }
  jobs.put(job.id, stored)
  return { job: stored.job, created: true }
}

/** Stores a changed job; if it has ended, the next job of its serial key becomes due. */
export function store(jobs: JobTable, row: MemoryJob): Job {
  jobs.put(row.job.id, row)
  if (isTerminal(row.job.state) && row.job.serialKey !== undefined) release(jobs, row.job)
  return row.job
}

// An urgent job goes to the front of the queue, unless its start is later than its creation.
const placeWhenDue = (urgent: boolean, dueAt: Date, createdAt: Date): number =>
  urgent && dueAt <= createdAt ? AHEAD : dueAt.getTime()

const placeOf = ({ job, dueAt }: MemoryJob): number => placeWhenDue(job.urgent, dueAt, job.createdAt)

function release(jobs: JobTable, { licenseId, serialKey }: Job): void {
  const rows = jobs.group(licenseId).filter(({ job }) => job.serialKey === serialKey)
  if (rows.some((row) => row.place < WAITING)) return
  const [next] = rows.sort(byTurn)
  if (next === undefined) return
  const freed = { ...next, place: placeOf(next) }
  jobs.put(next.job.id, { ...freed, job: { ...next.job, availableAt: availableAt(freed) } })
}

function byTurn(one: MemoryJob, other: MemoryJob): number {
  const ahead = Number(placeOf(other) === AHEAD) - Number(placeOf(one) === AHEAD)
  return ahead || one.dueAt.getTime() - other.dueAt.getTime() || byBytes(one.job.id, other.job.id)
}

function newJob({ runAt: _, ...job }: NewJob, now: Date): Omit<Job, 'availableAt'> {
  return {
    ...job,
    state: 'pending',
    createdAt: now,
    claimedBy: undefined,
    claimedAt: undefined,
    startedAt: undefined,
    finishedAt: undefined,
    attempt: 0,
    lost: 0,
    cancel: undefined,
    exitCode: undefined,
    error: undefined,
  }
}
