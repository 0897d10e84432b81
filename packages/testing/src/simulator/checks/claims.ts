import type { LeaseAnswer, LeaseRequest } from '@svc/core/ports'
import type { MemoryJob } from '../../work/jobs/memory-job.ts'
import type { Statement } from '../statement.ts'
import type { Verdict } from '../verdict.ts'
import { isEnded, isHeld, isSpent, spell } from './held.ts'

/** Checks a claim: it hands out the right job, to the right host, once. */
export function checkClaim(statement: Statement, verdict: Verdict): void {
  const { tables, result, args } = statement
  const request = args[0] as LeaseRequest
  const answer = result as LeaseAnswer
  const fail = (rule: string, about: MemoryJob | undefined) =>
    verdict.fail(rule, `a claim of ${request.fingerprint} (${request.licenseId}): ${spell(about)}`)
  const drained =
    tables.agents.get(JSON.stringify([request.licenseId, request.fingerprint]))?.drainedAt !== undefined
  const same = repeatable(statement, request)
  const job = answer.job === undefined ? undefined : tables.jobs.get(answer.job.id)
  if (same !== undefined && job?.job.id !== same.job.id) fail('repeated claim', job)
  if (same === undefined && drained && job !== undefined) fail('a drained host gets nothing', job)
  checkTaken(statement, request, job, same, fail)
  checkEnded(statement, request, job, fail)
  if (same === undefined && !drained) checkOrder(statement, request, job, fail)
  checkCancels(statement, request, answer, fail)
}

type Fail = (rule: string, about: MemoryJob | undefined) => void

function repeatable({ before }: Statement, request: LeaseRequest): MemoryJob | undefined {
  if (request.claimKey === undefined) return undefined
  for (const row of before.ofLicense(request.licenseId)) {
    const { state, claimedBy } = row.job
    if (state !== 'claimed' || row.claimKey !== request.claimKey) continue
    if (claimedBy === request.fingerprint) return row
  }
  return undefined
}

const mayTake = ({ job }: MemoryJob, { licenseId, fingerprint, kinds }: LeaseRequest): boolean =>
  job.licenseId === licenseId &&
  (job.target === '' || job.target === fingerprint) &&
  (kinds === undefined || kinds.includes(job.kind))

function checkTaken(
  { changes, before, now }: Statement,
  request: LeaseRequest,
  job: MemoryJob | undefined,
  same: MemoryJob | undefined,
  fail: Fail,
): void {
  const taken = changes.filter(
    (change) => (change.after?.job.attempt ?? 0) > (change.before?.job.attempt ?? 0),
  )
  if (taken.length > (same === undefined && job !== undefined ? 1 : 0))
    fail('one job a claim', taken[0]?.after)
  if (job === undefined) return
  const old = before.get(job.job.id)
  if (same === undefined && taken[0]?.id !== job.job.id) {
    fail('I1 one holder', old)
    return
  }
  // A repeated claim gets its job, even if the host declares other kinds now.
  if (!mayTake(job, same === undefined ? request : { ...request, kinds: undefined }))
    fail('I7 own jobs only', job)
  if (job.job.claimedBy !== request.fingerprint || !isHeld(job.job.state)) fail('I1 one holder', job)
  if (same === undefined && job.place !== now.getTime() + request.leaseSeconds * 1000)
    fail('lease length', job)
  if (same === undefined && job.claimKey !== request.claimKey) fail('repeated claim', job)
}

function checkEnded(
  { changes, now, before }: Statement,
  request: LeaseRequest,
  taken: MemoryJob | undefined,
  fail: Fail,
): void {
  for (const { id, after } of changes) {
    if (after === undefined || id === taken?.job.id) continue
    const old = before.get(id)
    if (!isEnded(after.job.state)) {
      const isFreed = old?.place === Number.POSITIVE_INFINITY && after.job.state === 'pending'
      if (!isFreed) fail('a claim changes what it takes', after)
    } else if (
      old === undefined ||
      !mayTake(old, request) ||
      old.place > now.getTime() ||
      !isSpent(old.job)
    ) {
      fail('ended too early', old)
    }
  }
}

/** Checks that the job that has been due longest is handed out first, and that no due job is held back. */
function checkOrder(
  { tables, now, before }: Statement,
  request: LeaseRequest,
  job: MemoryJob | undefined,
  fail: Fail,
): void {
  const old = job === undefined ? undefined : before.get(job.job.id)
  // A job that waited for the end of another job got its place in this statement, so the place is not known
  // here.
  const place = old?.place === Number.POSITIVE_INFINITY ? Number.NEGATIVE_INFINITY : (old?.place ?? 0)
  for (const row of tables.jobs.group(request.licenseId)) {
    if (row === job || row.place > now.getTime() || !mayTake(row, request)) continue
    if (job === undefined) {
      fail('I4 a due job is handed out', row)
      return
    }
    if (row.place < place && before.get(row.job.id) === row) {
      fail('longest due first', row)
      return
    }
  }
}

function checkCancels({ tables }: Statement, request: LeaseRequest, answer: LeaseAnswer, fail: Fail): void {
  for (const id of answer.cancel) {
    const row = tables.jobs.get(id)
    const { licenseId, claimedBy, cancel } = row?.job ?? {}
    const isOurs = licenseId === request.licenseId && claimedBy === request.fingerprint
    if (!isOurs || cancel === undefined) fail('I7 own cancels only', row)
  }
}
