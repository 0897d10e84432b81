import type { LogOutcome, LogWrite } from '@svc/core/ports'
import type { MemoryJob } from '../../work/jobs/memory-job.ts'
import type { Statement } from '../statement.ts'
import type { Verdict } from '../verdict.ts'
import { isHeld, isOwner, isRenewed, spell } from './held.ts'

const LATE_MS = 600_000

interface Answer {
  readonly accepted: number
  readonly next: number
}

interface JobLog {
  /** The stored lines of each attempt. */
  readonly attempts: Map<number, string[]>
  readonly answers: Map<string, Answer>
  count: number
}

/** Checks logs against a second copy: the lines that each request stores, and its answer. */
export class LogWriteCheck {
  readonly #verdict: Verdict
  readonly #logs = new Map<string, JobLog>()

  constructor(verdict: Verdict) {
    this.#verdict = verdict
  }

  /** Checks one request to append. */
  check(statement: Statement): void {
    const write = statement.args[0] as LogWrite
    const outcome = statement.result as LogOutcome | undefined
    const row = statement.before.get(write.jobId)
    const detail = () =>
      `lines at ${write.offset} by ${write.fingerprint} (${write.attempt}) on ${spell(row)}`
    const expect = (holds: boolean, rule: string) => this.#verdict.expect(holds, rule, detail)
    const log = this.#logs.get(write.jobId) ?? { attempts: new Map(), answers: new Map(), count: 0 }
    this.#logs.set(write.jobId, log)
    expect(
      statement.changes.every(({ id }) => id === write.jobId),
      'a write changes its job only',
    )
    if (row === undefined || !mayAppend(row, write, statement.now)) {
      expect(outcome === undefined, 'I2 late lines are refused')
    } else {
      const expected = append(log, row.job.attempt, write)
      expect(outcome?.accepted === expected.accepted && outcome.next === expected.next, 'I6 accepted lines')
      const now = statement.tables.jobs.get(write.jobId)
      const isHolding = now !== undefined && isHeld(now.job.state)
      if (isHolding) expect(isRenewed(now, statement.now, write.leaseSeconds), 'lines renew the lease')
    }
    expect(isStored(statement, log, row), 'I5 lines stored once, in order')
  }
}

function mayAppend(row: MemoryJob, write: LogWrite, now: Date): boolean {
  const { state, finishedAt, claimedBy } = row.job
  if (!isOwner(row, { ...write, fingerprint: write.fingerprint ?? claimedBy })) return false
  return isHeld(state) || (finishedAt !== undefined && now.getTime() < finishedAt.getTime() + LATE_MS)
}

function append(log: JobLog, attempt: number, write: LogWrite): Answer {
  const { idempotencyKey: key, lines } = write
  const known = key === undefined ? undefined : log.answers.get(key)
  if (known !== undefined) return known
  const stored = log.attempts.get(attempt) ?? []
  log.attempts.set(attempt, stored)
  const offset = write.offset ?? stored.length
  if (offset > stored.length) return { accepted: 0, next: stored.length }
  const fresh = lines.slice(stored.length - offset).map(({ line }) => line)
  stored.push(...fresh)
  log.count += fresh.length
  const answer = { accepted: lines.length, next: stored.length }
  if (key !== undefined && fresh.length > 0) log.answers.set(key, answer)
  return answer
}

/**
 * Whether the store holds the lines of our copy: compares the count of all, and each line of the present
 * attempt.
 */
function isStored({ tables }: Statement, log: JobLog, row: MemoryJob | undefined): boolean {
  if (row === undefined) return true
  const chunks = tables.logs.get(row.job.id) ?? []
  if (chunks.reduce((sum, { lines }) => sum + lines.length, 0) !== log.count) return false
  const last = chunks.at(-1)
  const copy = last === undefined ? undefined : log.attempts.get(last.attempt)
  return last === undefined || last.lines.every(({ line, offset }) => copy?.[offset] === line)
}
