import type { CancelOutcome, Scope } from '@svc/core'
import type { CancelWrite } from '@svc/core/ports'
import { isWithin } from '../../scoped-rows.ts'
import type { MemoryJob } from '../../work/jobs/memory-job.ts'
import type { Statement } from '../statement.ts'
import type { Verdict } from '../verdict.ts'
import { isEnded, isHeld, isSpent, spell } from './held.ts'
import { expectOthersFreed } from './reports.ts'

const CONFIRM_MS = 300_000

/** Checks a cancel: it ends a pending job, asks the owner of a held job to stop, and changes no other job. */
export function checkCancel(statement: Statement, verdict: Verdict): void {
  const [scope, write] = statement.args as [Scope, CancelWrite]
  const outcome = statement.result as CancelOutcome | undefined
  const before = statement.before.get(write.jobId)
  const after = statement.tables.jobs.get(write.jobId)
  const expect = (holds: boolean, rule: string) =>
    verdict.expect(holds, rule, () => `cancel of ${spell(before)}: ${spell(after)}`)
  if (
    before === undefined ||
    after === undefined ||
    !isWithin(statement.tables, scope, before.job) ||
    !mayCancel(before, write)
  ) {
    expect(outcome === undefined && statement.changes.length === 0, 'I7 own cancels only')
    return
  }
  expectOthersFreed(statement, write.jobId, expect)
  const { state } = before.job
  if (isEnded(state)) {
    expect(before === after && outcome?.effect === 'none', 'I3 terminal is final')
    return
  }
  expect(after.job.cancel !== undefined, 'a cancel is kept')
  if (!isHeld(state)) {
    expect(after.job.state === 'failed' && outcome?.effect === 'ended', 'cancel ends')
    return
  }
  const isSame = after.job.state === state && after.job.claimedBy === before.job.claimedBy
  expect(isSame && after.place === before.place && outcome?.effect === 'requested', 'cancel asks the owner')
}

function mayCancel({ job }: MemoryJob, { fingerprint }: CancelWrite): boolean {
  if (fingerprint === undefined) return true
  if (isHeld(job.state)) return job.claimedBy === fingerprint
  if (isEnded(job.state)) return job.claimedBy === undefined || job.claimedBy === fingerprint
  return job.target === '' || job.target === fingerprint
}

const isUnconfirmed = ({ job }: MemoryJob, now: number): boolean =>
  job.cancel !== undefined && job.cancel.at.getTime() + CONFIRM_MS <= now

const isGone = (row: MemoryJob, now: number): boolean =>
  isUnconfirmed(row, now) || (row.place <= now && isSpent(row.job))

const isOvertime = ({ job }: MemoryJob, now: number): boolean =>
  job.cancel === undefined &&
  job.claimedAt !== undefined &&
  job.claimedAt.getTime() + job.timeoutSeconds * 1000 <= now

/** Checks a sweep: it ends every job that is lost for good, and asks every job past its timeout to stop. */
export function checkSweep({ changes, before, tables, now }: Statement, verdict: Verdict): void {
  const nowMs = now.getTime()
  for (const { id, after } of changes) {
    const old = before.get(id)
    if (old === undefined || after === undefined || !isHeld(old.job.state)) continue
    const isRight = isEnded(after.job.state)
      ? isGone(after, nowMs) || isGone(old, nowMs)
      : isOvertime(old, nowMs)
    verdict.expect(isRight, 'ended too early', () => `the sweep made of ${spell(old)}: ${spell(after)}`)
  }
  for (const row of tables.jobs.all()) {
    if (!isHeld(row.job.state)) continue
    const isLeft = isOvertime(row, nowMs) || isGone(row, nowMs)
    verdict.expect(!isLeft, 'I4 the sweep leaves none', () => spell(row))
  }
}
