import type { JobState } from '@svc/core'
import type { Owner, StatusOutcome, StatusWrite } from '@svc/core/ports'
import type { MemoryJob } from '../../work/jobs/memory-job.ts'
import type { JobChange, Statement } from '../statement.ts'
import type { Verdict } from '../verdict.ts'
import { differsIn, isEnded, isHeld, isOwner, isRenewed, spell } from './held.ts'

/** Checks a status report: the owner's takes effect; any other is refused and changes nothing. */
export function checkReport(statement: Statement, verdict: Verdict): void {
  const write = statement.args[0] as StatusWrite
  const outcome = statement.result as StatusOutcome | undefined
  const before = statement.before.get(write.jobId)
  const after = statement.tables.jobs.get(write.jobId)
  const expect = (holds: boolean, rule: string) =>
    verdict.expect(
      holds,
      rule,
      () => `${write.fingerprint} said ${write.state} of ${spell(before)}: ${spell(after)}`,
    )
  if (before === undefined || after === undefined || !isOwner(before, write)) {
    expect(outcome === undefined && statement.changes.length === 0, 'I2 late writes change nothing')
    return
  }
  expect(outcome !== undefined, 'the owner is heard')
  expectOthersFreed(statement, write.jobId, expect)
  if (!isHeld(before.job.state)) {
    expect(before === after, 'I3 terminal is final')
    return
  }
  const state = stateAfter(before, write.state)
  expect(after.job.state === state, 'state after a report')
  expect(outcome?.job.state === state, 'state after a report')
  if (isHeld(state)) expect(isRenewed(after, statement.now, write.leaseSeconds), 'a report renews the lease')
  if (state === 'pending') expect(after.place <= statement.now.getTime(), 'given back is due')
  if (isEnded(state)) expect(after.job.finishedAt !== undefined, 'an end has an instant')
}

function stateAfter({ job }: MemoryJob, reported: JobState): JobState {
  if (reported === 'claimed') return job.state
  if (reported === 'pending' && job.cancel !== undefined) return 'failed'
  return reported
}

type Expect = (holds: boolean, rule: string) => void

/** Expects that, besides the job itself, a statement only made the next job of its serial key due. */
export function expectOthersFreed({ changes }: Statement, jobId: string, expect: Expect): void {
  const others = changes.filter(({ id }) => id !== jobId)
  if (others.length === 0) return
  const end = changes.find(({ id }) => id === jobId)?.after
  expect(
    others.length === 1 && others.every((change) => isFreed(change, end)),
    'a write changes its job only',
  )
}

function isFreed({ before, after }: JobChange, ended: MemoryJob | undefined): boolean {
  if (before === undefined || after === undefined || ended === undefined) return false
  const isNext = before.job.serialKey === ended.job.serialKey && before.job.licenseId === ended.job.licenseId
  return isNext && before.place === Number.POSITIVE_INFINITY && differsIn(before, after, ['availableAt'])
}

/**
 * Checks the jobs that a heartbeat lists: leases of the host's own attempts are renewed, and nothing else
 * changes.
 */
export function checkRenewal({ args, changes, before, tables, now }: Statement, verdict: Verdict): void {
  const [owners, leaseSeconds] = args as [readonly Owner[], number]
  for (const owner of owners) {
    const row = tables.jobs.get(owner.jobId)
    if (row === undefined || !isOwner(row, owner) || !isHeld(row.job.state)) continue
    verdict.expect(isRenewed(row, now, leaseSeconds), 'a heartbeat renews the lease', () => spell(row))
  }
  for (const { id, after } of changes) {
    const old = before.get(id)
    const isTheirs = old !== undefined && owners.some((owner) => owner.jobId === id && isOwner(old, owner))
    const isLonger = after !== undefined && old !== undefined && after.place > old.place
    const isAll = isLonger && differsIn(old, after, ['availableAt'])
    verdict.expect(
      isTheirs && isAll,
      'a lease is renewed by its owner',
      () => `${spell(old)} became ${spell(after)}`,
    )
  }
}
