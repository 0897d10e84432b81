import type { Job } from '@svc/core'
import type { JobChange, Statement } from '../statement.ts'
import type { Verdict } from '../verdict.ts'
import { isEnded, isHeld, isSpent, spell } from './held.ts'

const FIXED = [
  'id',
  'licenseId',
  'kind',
  'payload',
  'sealedEnv',
  'target',
  'urgent',
  'app',
  'serialKey',
  'dedupeKey',
  'deploymentId',
  'retryOf',
  'createdAt',
  'maxAttempts',
  'timeoutSeconds',
] as const satisfies readonly (keyof Job)[]

/** Checks the rules for every change of a job, whichever statement made it. */
export function checkTransitions(statement: Statement, verdict: Verdict): void {
  for (const change of statement.changes) checkChange(statement, change, verdict)
}

function checkChange({ name, now }: Statement, change: JobChange, verdict: Verdict): void {
  const { before, after } = change
  const expect = (holds: boolean, rule: string) =>
    verdict.expect(holds, rule, () => `${name} made of ${spell(before)}: ${spell(after)}`)
  expect(after !== undefined, 'I4 no job lost')
  if (after === undefined) return
  if (before === undefined) {
    expect(name === 'jobs.enqueue' && after.job.attempt === 0, 'new job')
    return
  }
  const [old, next] = [before.job, after.job]
  expect(!isEnded(old.state), 'I3 terminal is final')
  expect(
    FIXED.every((key) => Object.is(old[key], next[key])),
    'fixed fields',
  )
  expect(next.lost >= old.lost && next.lost <= old.lost + 1, 'lost leases')
  expect(next.lost <= next.maxAttempts, 'lost leases')
  expect(old.cancel === undefined || next.cancel === old.cancel, 'cancel is kept')
  expect(next.state !== 'running' || isHeld(old.state), 'running follows claimed')
  expect(old.state !== 'running' || next.state !== 'claimed' || next.attempt > old.attempt, 'no step back')
  if (next.attempt !== old.attempt) checkHandOut(before.place <= now.getTime(), old, next, expect)
  else checkSameAttempt(old, next, expect)
}

type Expect = (holds: boolean, rule: string) => void

function checkHandOut(isDue: boolean, old: Job, next: Job, expect: Expect): void {
  expect(next.attempt === old.attempt + 1 && next.state === 'claimed', 'attempts grow by one')
  expect(old.cancel === undefined, 'a cancelled job is not handed out')
  if (!isHeld(old.state)) {
    expect(next.lost === old.lost, 'lost leases')
    return
  }
  expect(isDue, 'I1 one holder')
  expect(!isSpent(old), 'attempts bound')
  expect(next.lost === old.lost + 1, 'lost leases')
}

function checkSameAttempt(old: Job, next: Job, expect: Expect): void {
  expect(isHeld(old.state) || !isHeld(next.state), 'held under an attempt of its own')
  expect(next.claimedBy === old.claimedBy || next.claimedBy === undefined, 'I1 one holder')
  expect(old.state !== 'pending' || next.claimedBy === old.claimedBy, 'I1 one holder')
  if (next.state !== 'pending') return
  expect(old.cancel === undefined || old.state === 'pending', 'a cancel never puts a job back')
  expect(next.lost === old.lost, 'giving back is not losing')
}
