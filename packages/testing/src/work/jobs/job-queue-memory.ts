import { isTerminal, type Job } from '@svc/core'
import { isRunBy, type NewJob } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import { byBytes, jsonCopy } from '../../text-order.ts'
import { availableAt, type MemoryJob } from './memory-job.ts'

const AHEAD = Number.NEGATIVE_INFINITY
const WAITING = Number.POSITIVE_INFINITY

/** The tables that the queue reads and writes. */
export type QueueTables = Pick<MemoryTables, 'agents' | 'jobs'>

/** Stores a job, or returns the unfinished job with the same dedupe key. */
export function enqueue(tables: QueueTables, job: NewJob, now: Date): { job: Job; created: boolean } {
  const { jobs } = tables
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
  if (waits) pass(tables, stored.job, now)
  return { job: stored.job, created: true }
}

/** Stores a changed job; if it has ended, the next job of its serial key becomes due. */
export function store(tables: QueueTables, row: MemoryJob): Job {
  tables.jobs.put(row.job.id, row)
  if (isTerminal(row.job.state) && row.job.serialKey !== undefined) release(tables, row.job)
  return row.job
}

/** Whether a host that is online may take the job. */
export const isRun = (
  { agents }: Pick<QueueTables, 'agents'>,
  work: Pick<Job, 'licenseId' | 'kind' | 'target'>,
  now: Date,
): boolean =>
  isRunBy(
    agents.all().filter(({ licenseId }) => licenseId === work.licenseId),
    work,
    now,
  )

const isDue = (row: MemoryJob, now: Date): boolean => placeOf(row) <= now.getTime()

/** The jobs of a serial key that have not ended. */
const chainOf = ({ jobs }: QueueTables, { licenseId, serialKey }: Job): MemoryJob[] =>
  jobs.group(licenseId).filter(({ job }) => job.serialKey === serialKey)

/** The first job that waits and that hosts run now. */
const firstRun = (tables: QueueTables, chain: readonly MemoryJob[], now: Date): MemoryJob | undefined =>
  chain
    .filter((row) => row.place === WAITING && isDue(row, now) && isRun(tables, row.job, now))
    .sort(byTurn)[0]

/** Passes the serial key of `job` on, if nobody runs the job that has it and hosts run one that waits. */
export function pass(tables: QueueTables, job: Job, now: Date): void {
  const chain = chainOf(tables, job)
  const holder = chain.find((row) => row.place < WAITING)
  if (holder?.job.state !== 'pending' || isRun(tables, holder.job, now)) return
  const next = firstRun(tables, chain, now)
  if (next === undefined) return
  move(tables, holder, WAITING)
  move(tables, next, placeOf(next))
}

function move({ jobs }: QueueTables, row: MemoryJob, place: number): void {
  const moved = { ...row, place }
  jobs.put(row.job.id, { ...moved, job: { ...row.job, availableAt: availableAt(moved) } })
}

// An urgent job goes to the front of the queue, unless its start is later than its creation.
const placeWhenDue = (urgent: boolean, dueAt: Date, createdAt: Date): number =>
  urgent && dueAt <= createdAt ? AHEAD : dueAt.getTime()

const placeOf = ({ job, dueAt }: MemoryJob): number => placeWhenDue(job.urgent, dueAt, job.createdAt)

function release(tables: QueueTables, ended: Job): void {
  const chain = chainOf(tables, ended)
  if (chain.some((row) => row.place < WAITING)) return
  const next = firstRun(tables, chain, ended.finishedAt ?? new Date(0)) ?? chain.sort(byTurn)[0]
  if (next !== undefined) move(tables, next, placeOf(next))
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
