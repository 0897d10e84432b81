import { Problem } from '../../kernel/problem.ts'
import { type Addressing, identity, matched } from '../../platform/database/answers.ts'
import type { Scratch } from '../../platform/database/scratch.ts'
import type { Rows, Statement } from '../../platform/database/session.ts'
import { isoOrNull } from '../../platform/database/values.ts'
import { EMPTY_LOG, type LogPlacement, type LogPosition, placeLines } from './job-log.ts'
import { encodeLines } from './job-log-body.ts'
import { jobOf } from './job-report-sql.ts'
import { cancelOf, HELD_BY_ID, type JobRow } from './job-row-sql.ts'
import type { LogOutcome, LogWrite } from './jobs-store.ts'
import { LATE_LOGS_SECONDS, RENEW_BELOW } from './lease.ts'
import type { LogPositions } from './log-positions.ts'

const WRITES = `unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::timestamptz[], $6::float8[], $7::text[],
    $8::int[], $9::int[], $10::int[], $11::int[], $12::int[], $13::float8[], $14::int[], $15::int[])`
const WRITE = `job_id, license_id, fingerprint, attempt_given, given, lease_seconds, key,
    first_line, first_offset, next_offset, lines, accepted, chars, body_from, body_bytes`
const OWNER = `j.id = q.job_id and j.license_id = q.license_id and j.claimed_by = coalesce(q.fingerprint, j.claimed_by)
  and j.attempt = coalesce(q.attempt_given, j.attempt)`
const OPEN = `(${HELD_BY_ID} or j.finished_at > q.at - make_interval(secs => ${LATE_LOGS_SECONDS}))`
const soonOver = (job: string) =>
  `${job}.available_at < q.at + make_interval(secs => q.lease_seconds * ${RENEW_BELOW})`

const LAST = `left join lateral (select c.attempt as last_attempt, c.next_offset as last_next,
    c.first_line + c.lines as job_lines, c.job_chars::float8 as job_chars
  from job_log_chunks c where c.job_id = job.id order by c.first_line desc limit 1) last on true`
const AT_END = `job.first_line = coalesce(job_lines, 0)
  and job.first_offset = case when last_attempt = job.attempt then last_next else 0 end`
// All bodies are in one parameter; each is cut out of it by its place.
const STORE = `insert into job_log_chunks (job_id, attempt, first_line, first_offset, next_offset, lines, accepted, job_chars,
    body, idempotency_key, at)
  select id, job.attempt, job.first_line, job.first_offset, job.next_offset, job.lines, job.accepted, job.chars,
    substring($16::bytea from job.body_from for job.body_bytes), job.key, job.at`

/**
 * Fast path: appends chunks of owners to running, uncancelled jobs whose lease needs no renewal, if the log
 * ends where its writer believes. A returned row is the whole answer. The jobs' rows are locked in one order,
 * so that no host can take a job over in between.
 */
export const APPEND = {
  name: 'job-log-append',
  text: `${STORE}
    from (select q.*, j.id, j.attempt from (select *, coalesce(given, now()) as at from ${WRITES} as q (${WRITE})) q
      join jobs j on ${OWNER} and j.state = 'running' and j.cancel_requested_at is null and not ${soonOver('j')}
      order by j.id for no key update of j) job
    ${LAST}
    where job.lines > 0 and ${AT_END}
    on conflict do nothing returning job_id, attempt`,
}

/**
 * Slow path: appends each chunk that may be appended, renews leases, and answers every owner: the end of the
 * log, the first answer to a repeated key, and whether the chunk was stored. An item costs a quarter more
 * than in `APPEND`.
 */
export const SETTLE = {
  name: 'job-log-settle',
  text: `with write as (select q.*, coalesce(q.given, now()) as at from ${WRITES} as q (${WRITE})
    ), job as (
      select q.*, j.id, j.attempt, j.state, j.available_at, j.cancel_requested_at, j.cancel_reason
      from write q join jobs j on ${OWNER} and ${OPEN} order by j.id for no key update of j
    ), renewed as (
      update jobs j set available_at = q.at + make_interval(secs => q.lease_seconds)
      from job q where j.id = q.id and ${HELD_BY_ID} and q.state in ('claimed', 'running') and ${soonOver('q')}
    ), log as (
      select job.*, last.*, again.accepted as again_accepted, again.next_offset as again_next
      from job ${LAST}
      left join lateral (select * from job_log_chunks c where c.job_id = job.id and c.idempotency_key = job.key
        limit 1) again on true
    ), stored as (
      ${STORE} from log job where job.lines > 0 and again_accepted is null and ${AT_END}
      on conflict do nothing returning job_id
    )
    select write.job_id, id, attempt, state, cancel_requested_at, cancel_reason, last_attempt, last_next, job_lines, job_chars,
      again_accepted, again_next, exists (select from stored where stored.job_id = log.id) as stored
    from write left join log on log.id = write.job_id`,
}

type Heard = 'id' | 'attempt' | 'state' | 'cancel_requested_at' | 'cancel_reason'

/** A chunk that was stored, with the attempt that it belongs to. */
interface StoredRow {
  readonly job_id: string
  readonly attempt: number
}

type SettledRow = { readonly [K in Heard]: JobRow[K] | null } & {
  readonly job_id: string
  readonly last_attempt: number | null
  readonly last_next: number | null
  readonly job_lines: number | null
  readonly job_chars: number | null
  readonly again_accepted: number | null
  readonly again_next: number | null
  readonly stored: boolean
}

/** Lines, with the instant that a test gives them. */
export interface LogItem {
  readonly write: LogWrite
  readonly now: Date | undefined
}

interface LogAttempt extends LogPlacement {
  readonly item: LogItem
  /** The end of the log, as far as its writer knows. */
  readonly before: LogPosition
  readonly body: Buffer
}

const jobOfAttempt = ({ item }: LogAttempt) => jobOf(item)
const addressee = ({ job_id }: { readonly job_id: string }) => identity(job_id)
const STORED: Addressing<LogAttempt, StoredRow> = { statement: APPEND.name, asker: jobOfAttempt, addressee }
const SETTLED: Addressing<LogAttempt, SettledRow> = {
  statement: SETTLE.name,
  asker: jobOfAttempt,
  addressee,
  isComplete: true,
}

const TRIES = 16

/** The memory of a process between appends. */
export interface LogMemory {
  readonly positions: LogPositions
  readonly scratch: Scratch
}

/**
 * Appends lines to any number of logs, each job once. A writer with a wrong end of its log learns the right
 * one and tries again. So does the later one of two replicas that saw the same end and collided on the
 * primary key.
 */
export async function appendLogs(
  items: readonly LogItem[],
  rows: Rows,
  { positions, scratch }: LogMemory,
): Promise<readonly (LogOutcome | undefined)[]> {
  const outcomes = new Map<LogItem, LogOutcome>()
  const attempts = await Promise.all(
    items.map((each) => attemptOf(each, positions.of(each.write.jobId, each.write.attempt))),
  )
  const send = <Row>(statement: Statement, left: readonly LogAttempt[]) =>
    scratch.with(
      left.map(({ body }) => body),
      (bodies) => rows<Row>(statement, paramsOf(left, bodies)),
    )
  const stored = matched(STORED, attempts, await send<StoredRow>(APPEND, attempts))
  for (const [each, { attempt }] of stored) {
    positions.keep(each.item.write.jobId, attempt, each.position)
    outcomes.set(each.item, storedOutcome({ state: 'running', cancel: undefined }, each))
  }
  let left = attempts.filter((each) => !stored.has(each))
  for (let tries = 0; left.length > 0; tries += 1) {
    if (tries === TRIES) {
      throw new Problem('unavailable', { detail: 'too many writers to one log', retryAfterSeconds: 1 })
    }
    const settled = matched(SETTLED, left, await send<SettledRow>(SETTLE, left))
    const again = [...settled].map(([each, row]) => {
      if (row.id === null) return undefined
      const position = row.stored ? each.position : positionOf(row)
      positions.keep(row.id, row.attempt ?? 0, position)
      const isSettled = row.stored || row.again_accepted !== null || isNothingNew(each, position)
      if (!isSettled) return attemptOf(each.item, position)
      outcomes.set(each.item, outcomeOf(row, each))
      return undefined
    })
    left = (await Promise.all(again)).filter((each) => each !== undefined)
  }
  return items.map((each) => outcomes.get(each))
}

async function attemptOf(item: LogItem, before: LogPosition): Promise<LogAttempt> {
  const placement = placeLines(before, item.write.lines, item.write.offset)
  const body = placement.store.length === 0 ? Buffer.alloc(0) : await encodeLines(placement.store)
  return { ...placement, item, before, body }
}

const positionOf = (row: SettledRow): LogPosition => ({
  next: row.last_attempt === row.attempt ? (row.last_next ?? EMPTY_LOG.next) : EMPTY_LOG.next,
  jobLines: row.job_lines ?? EMPTY_LOG.jobLines,
  jobChars: row.job_chars ?? EMPTY_LOG.jobChars,
})

const isNothingNew = ({ store, before }: LogAttempt, { jobLines, next }: LogPosition): boolean =>
  store.length === 0 && before.jobLines === jobLines && before.next === next

const storedOutcome = (job: LogOutcome['job'], { store, accepted, position }: LogAttempt): LogOutcome => ({
  job,
  stored: store.length,
  accepted,
  next: position.next,
})

function outcomeOf(row: SettledRow, each: LogAttempt): LogOutcome {
  const { state, ...cancel } = row as Pick<JobRow, Heard>
  const job = { state, cancel: cancelOf(cancel) }
  return row.again_accepted === null
    ? storedOutcome(job, each)
    : { job, stored: 0, accepted: row.again_accepted, next: row.again_next ?? 0 }
}

function paramsOf(left: readonly LogAttempt[], bodies: Buffer): readonly unknown[] {
  const writes = left.map(({ item }) => item.write)
  let end = 1
  const begins = left.map(({ body }) => {
    end += body.length
    return end - body.length
  })
  return [
    writes.map(({ jobId }) => jobId),
    writes.map(({ licenseId }) => licenseId),
    writes.map(({ fingerprint }) => fingerprint ?? null),
    writes.map(({ attempt }) => attempt ?? null),
    left.map(({ item }) => isoOrNull(item.now)),
    writes.map(({ leaseSeconds }) => leaseSeconds),
    writes.map(({ idempotencyKey }) => idempotencyKey ?? null),
    left.map(({ before }) => before.jobLines),
    left.map(({ before }) => before.next),
    left.map(({ position }) => position.next),
    left.map(({ store }) => store.length),
    left.map(({ accepted }) => accepted),
    left.map(({ position }) => position.jobChars),
    begins,
    left.map(({ body }) => body.length),
    bodies,
  ]
}
