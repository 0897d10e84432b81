import { type CancelOutcome, isHeld, isTerminal, type Job, type Scope } from '@svc/core'
import {
  agentId,
  CANCEL_CONFIRM_SECONDS,
  CANCELLED_ERROR,
  type CancelWrite,
  isSpent,
  lostError,
  type SupersedeWrite,
  type SweepResult,
  UNCONFIRMED_ERROR,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import { isWithin } from '../../scoped-rows.ts'
import { byBytes } from '../../text-order.ts'
import { pass, type QueueTables, store } from './job-queue-memory.ts'
import { changed, type MemoryJob } from './memory-job.ts'

/** Fails a held job whose owner is lost; ownership ends with it. */
export function endLost(tables: QueueTables, row: MemoryJob, now: Date): Job {
  const { cancel, lost, claimedBy } = row.job
  const ending =
    cancel === undefined
      ? { lost: lost + 1, error: lostError(agentId(claimedBy ?? ''), lost + 1) }
      : { error: UNCONFIRMED_ERROR }
  return store(tables, changed(row, { ...ending, state: 'failed', finishedAt: now, claimedBy: undefined }))
}

const isOver = (from: Date | undefined, seconds: number, now: Date): boolean =>
  from !== undefined && from.getTime() + seconds * 1000 <= now.getTime()

/**
 * Asks jobs past their timeout to stop, and ends jobs that must not be handed out again after their host was
 * lost. Takes serial keys from jobs that nobody runs.
 */
export function sweep(tables: QueueTables, now: Date): SweepResult {
  const held = () =>
    tables.jobs
      .grouped()
      .filter(({ job }) => isHeld(job.state))
      .sort((one, other) => byBytes(one.job.id, other.job.id))
  const timedOut = held()
    .filter(({ job }) => job.cancel === undefined && isOver(job.claimedAt, job.timeoutSeconds, now))
    .map((row) => store(tables, changed(row, { cancel: { at: now, reason: 'timeout' } })))
  const ended = held()
    .filter(({ job, place }) => {
      const lost = place <= now.getTime() && isSpent(job)
      return lost || isOver(job.cancel?.at, CANCEL_CONFIRM_SECONDS, now)
    })
    .map((row) => endLost(tables, row, now))
  for (const { job } of tables.jobs.grouped()) if (job.serialKey !== undefined) pass(tables, job, now)
  return { timedOut, ended }
}

/** Ends a pending job, asks the owner of a held job to stop, and leaves a finished job as it is. */
export function requestCancel(
  tables: MemoryTables,
  scope: Scope,
  write: CancelWrite,
  now: Date,
): CancelOutcome | undefined {
  const { jobId, reason } = write
  const row = tables.jobs.get(jobId)
  if (row === undefined || !isWithin(tables, scope, row.job)) return undefined
  if (!mayCancel(row.job, write.fingerprint)) return undefined
  if (isTerminal(row.job.state)) return { effect: 'none', job: row.job }
  const cancel = row.job.cancel ?? { at: now, reason }
  if (isHeld(row.job.state)) return { effect: 'requested', job: store(tables, changed(row, { cancel })) }
  const ending = { state: 'failed', finishedAt: now, error: CANCELLED_ERROR } as const
  return { effect: 'ended', job: store(tables, changed(row, { ...ending, cancel })) }
}

/** Ends the pending ones among the named jobs. */
export function supersede(
  tables: QueueTables,
  { licenseId, jobIds, reason }: SupersedeWrite,
  now: Date,
): readonly Job[] {
  const ending = { state: 'failed', finishedAt: now, error: reason, cancel: { at: now, reason } } as const
  return [...new Set(jobIds)]
    .toSorted(byBytes)
    .flatMap((id) => tables.jobs.get(id) ?? [])
    .filter(({ job }) => job.licenseId === licenseId && job.state === 'pending')
    .map((row) => store(tables, changed(row, ending)))
}

function mayCancel(job: Job, fingerprint: string | undefined): boolean {
  if (fingerprint === undefined) return true
  if (isTerminal(job.state)) return job.claimedBy === undefined || job.claimedBy === fingerprint
  if (isHeld(job.state)) return job.claimedBy === fingerprint
  return job.target === '' || job.target === fingerprint
}
