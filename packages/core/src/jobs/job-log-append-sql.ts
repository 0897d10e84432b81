import { Problem } from '../problem.ts'
import { isoOrNull, type Rows } from '../storage/session.ts'
import { EMPTY_LOG, type LogPlacement, type LogPosition, placeLines } from './job-log.ts'
import { encodeLines } from './job-log-body.ts'
import { cancelOf, IS_HELD, type JobRow } from './job-row-sql.ts'
import type { LogOutcome, LogWrite } from './jobs-store.ts'
import { LATE_LOGS_SECONDS, RENEW_BELOW } from './lease.ts'
import type { LogPositions } from './log-positions.ts'

const WRITES = `unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::timestamptz[], $6::float8[], $7::text[],
    $8::int[], $9::int[], $10::int[], $11::int[], $12::int[], $13::float8[], $14::int[], $15::int[]) with ordinality
  as q (job_id, license_id, fingerprint, attempt_given, given, lease_seconds, key,
    first_line, first_offset, next_offset, lines, accepted, chars, body_from, body_bytes, place)`
const OPEN = `(${IS_HELD} or j.finished_at > q.at - make_interval(secs => ${LATE_LOGS_SECONDS}))`
const SOON_OVER = `q.available_at < q.at + make_interval(secs => q.lease_seconds * ${RENEW_BELOW})`
const AT_END = `first_line = coalesce(job_lines, 0)
  and first_offset = case when last_attempt = attempt then last_next else 0 end`

/**
 * Appends chunks of owners, where each log stands as its writer believes, and renews their leases. Answers where each
 * log stood, what a repeated key got, and whether the chunk was stored. The jobs' rows are locked in one order, so that
 * nobody takes a job over in between. All bodies travel in one value, each cut out by its place.
 */
export const APPEND = {
  name: 'job-log-append',
  text: `with write as (select q.*, coalesce(q.given, now()) as at from ${WRITES}
    ), job as (
      select q.place, q.at, q.lease_seconds, q.key, q.first_line, q.first_offset, q.next_offset, q.lines, q.accepted,
        q.chars, q.body_from, q.body_bytes, j.id, j.attempt, j.state, j.available_at, j.cancel_requested_at, j.cancel_reason
      from write q join jobs j on j.id = q.job_id
        and j.license_id = q.license_id and j.claimed_by = coalesce(q.fingerprint, j.claimed_by)
        and j.attempt = coalesce(q.attempt_given, j.attempt) and ${OPEN}
      order by j.id for no key update of j
    ), renewed as (
      update jobs j set available_at = q.at + make_interval(secs => q.lease_seconds)
      from job q where j.id = q.id and ${IS_HELD} and q.state in ('claimed', 'running') and ${SOON_OVER}
    ), log as (
      select job.*, last.attempt as last_attempt, last.next_offset as last_next,
        last.first_line + last.lines as job_lines, last.job_chars::float8 as job_chars,
        again.accepted as again_accepted, again.next_offset as again_next
      from job
      left join lateral (select * from job_log_chunks c where c.job_id = job.id
        order by c.first_line desc limit 1) last on true
      left join lateral (select * from job_log_chunks c where c.job_id = job.id and c.idempotency_key = job.key
        limit 1) again on true
    ), stored as (
      insert into job_log_chunks (job_id, attempt, first_line, first_offset, next_offset, lines, accepted, job_chars,
        body, idempotency_key, at)
      select id, attempt, first_line, first_offset, next_offset, lines, accepted, chars,
        substring($16::bytea from body_from for body_bytes), key, at
      from log where lines > 0 and again_accepted is null and ${AT_END}
      on conflict do nothing returning job_id
    )
    select id, attempt, state, cancel_requested_at, cancel_reason, last_attempt, last_next, job_lines, job_chars,
      again_accepted, again_next, exists (select from stored where stored.job_id = log.id) as stored
    from write left join log on log.place = write.place order by write.place`,
}

type Heard = 'id' | 'attempt' | 'state' | 'cancel_requested_at' | 'cancel_reason'

type AppendRow = { readonly [K in Heard]: JobRow[K] | null } & {
  readonly last_attempt: number | null
  readonly last_next: number | null
  readonly job_lines: number | null
  readonly job_chars: number | null
  readonly again_accepted: number | null
  readonly again_next: number | null
  readonly stored: boolean
}

/** Lines with the instant that a test gives them. */
export interface LogAsked {
  readonly write: LogWrite
  readonly now: Date | undefined
}

interface Attempted extends LogPlacement {
  readonly asked: LogAsked
  readonly index: number
  /** Where the log stands, as far as its writer knows. */
  readonly before: LogPosition
}

const TRIES = 16

/**
 * Appends lines to any number of logs, each job once. Who believed that a log stood elsewhere is told where, and tries
 * again; so does the later one of two, on two replicas, who saw the same end and collide on the primary key.
 */
export async function appendLogs(
  asked: readonly LogAsked[],
  rows: Rows,
  positions: LogPositions,
): Promise<readonly (LogOutcome | undefined)[]> {
  const outcomes = Array.from<LogOutcome | undefined>({ length: asked.length })
  let left = asked.map((each, index) =>
    attempted(each, index, positions.of(each.write.jobId, each.write.attempt)),
  )
  for (let tries = 0; left.length > 0; tries += 1) {
    if (tries === TRIES) {
      throw new Problem('unavailable', { detail: 'too many writers to one log', retryAfterSeconds: 1 })
    }
    const found = await rows<AppendRow>(APPEND, await paramsOf(left))
    left = left.flatMap((each, place) => {
      const row = found[place] as AppendRow
      if (row.id === null) return []
      const position = row.stored ? each.position : positionOf(row)
      positions.keep(row.id, row.attempt ?? 0, position)
      const isSettled = row.stored || row.again_accepted !== null || isNothingNew(each, position)
      if (!isSettled) return [attempted(each.asked, each.index, position)]
      outcomes[each.index] = outcomeOf(row, each)
      return []
    })
  }
  return outcomes
}

const attempted = (asked: LogAsked, index: number, before: LogPosition): Attempted => ({
  ...placeLines(before, asked.write.lines, asked.write.offset),
  asked,
  index,
  before,
})

const positionOf = (row: AppendRow): LogPosition => ({
  next: row.last_attempt === row.attempt ? (row.last_next ?? EMPTY_LOG.next) : EMPTY_LOG.next,
  jobLines: row.job_lines ?? EMPTY_LOG.jobLines,
  jobChars: row.job_chars ?? EMPTY_LOG.jobChars,
})

const isNothingNew = ({ store, before }: Attempted, position: LogPosition): boolean =>
  store.length === 0 && before.jobLines === position.jobLines && before.next === position.next

function outcomeOf(row: AppendRow, { store, accepted, position }: Attempted): LogOutcome {
  const { state, ...cancel } = row as Pick<JobRow, Heard>
  const job = { state, cancel: cancelOf(cancel) }
  return row.again_accepted === null
    ? { job, stored: store.length, accepted, next: position.next }
    : { job, stored: 0, accepted: row.again_accepted, next: row.again_next ?? 0 }
}

async function paramsOf(left: readonly Attempted[]): Promise<readonly unknown[]> {
  const writes = left.map(({ asked }) => asked.write)
  const bodies = await Promise.all(
    left.map(({ store }) => (store.length === 0 ? Buffer.alloc(0) : encodeLines(store))),
  )
  let end = 1
  const begins = bodies.map((body) => {
    end += body.length
    return end - body.length
  })
  return [
    writes.map(({ jobId }) => jobId),
    writes.map(({ licenseId }) => licenseId),
    writes.map(({ fingerprint }) => fingerprint ?? null),
    writes.map(({ attempt }) => attempt ?? null),
    left.map(({ asked }) => isoOrNull(asked.now)),
    writes.map(({ leaseSeconds }) => leaseSeconds),
    writes.map(({ idempotencyKey }) => idempotencyKey ?? null),
    left.map(({ before }) => before.jobLines),
    left.map(({ before }) => before.next),
    left.map(({ position }) => position.next),
    left.map(({ store }) => store.length),
    left.map(({ accepted }) => accepted),
    left.map(({ position }) => position.jobChars),
    begins,
    bodies.map(({ length }) => length),
    Buffer.concat(bodies),
  ]
}
