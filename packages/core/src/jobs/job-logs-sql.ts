import { Problem } from '../problem.ts'
import { isoOrNull, type Rows, type Session } from '../storage/session.ts'
import { EMPTY_LOG, type LogLine, placeLines, type StoredLine } from './job-log.ts'
import { HELD, type JobRow, toJob } from './job-row-sql.ts'
import type { AttemptLines, LogOutcome, LogWrite } from './jobs-store.ts'
import { LATE_LOGS_SECONDS, RENEW_BELOW } from './lease.ts'

const WRITES = `unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::timestamptz[], $6::float8[], $7::text[])
  with ordinality as q (job_id, license_id, fingerprint, attempt_given, given, lease_seconds, key, place)`
const OPEN = `(j.${HELD} or j.finished_at > q.at - make_interval(secs => ${LATE_LOGS_SECONDS}))`
const SOON_OVER = `j.available_at < q.at + make_interval(secs => q.lease_seconds * ${RENEW_BELOW})`
const LAST = 'order by c.first_line desc limit 1'

/** Where each log stands, what a repeated key got, and the renewal of the leases, for owners only. */
export const POSITION = {
  name: 'job-log-position',
  text: `with write as (select q.*, coalesce(q.given, now()) as at from ${WRITES}
    ), job as (
      select q.place, q.at, q.lease_seconds, q.key, j.* from write q join jobs j on j.id = q.job_id
        and j.license_id = q.license_id and j.claimed_by = coalesce(q.fingerprint, j.claimed_by)
        and j.attempt = coalesce(q.attempt_given, j.attempt) and ${OPEN}
    ), low as (
      select q.id, q.at, q.lease_seconds from job q join jobs j on j.id = q.id and j.claimed_by = q.claimed_by
        and j.attempt = q.attempt and j.${HELD} and ${SOON_OVER}
      order by j.id for update of j
    ), renewed as (
      update jobs j set available_at = low.at + make_interval(secs => low.lease_seconds) from low where j.id = low.id)
    select job.*, last.attempt as last_attempt, last.next_offset,
      last.first_line + last.lines as job_lines, last.job_chars::float8 as job_chars,
      again.accepted as again_accepted, again.next_offset as again_next
    from write left join job on job.place = write.place
    left join lateral (select * from job_log_chunks c where c.job_id = job.id ${LAST}) last on true
    left join lateral (select * from job_log_chunks c where c.job_id = job.id and c.idempotency_key = job.key) again on true
    order by write.place`,
}

type PositionRow = { readonly [K in keyof JobRow]: JobRow[K] | null } & {
  readonly last_attempt: number | null
  readonly next_offset: number | null
  readonly job_lines: number | null
  readonly job_chars: number | null
  readonly again_accepted: number | null
  readonly again_next: number | null
}

/**
 * Stores chunks of writers that still own their attempts; nothing for one whom somebody else forestalled. The jobs' rows
 * are locked for share (their foreign key would lock them anyway), so that nobody takes a job over in between.
 */
export const INSERT = {
  name: 'job-log-insert',
  text: `insert into job_log_chunks (job_id, attempt, first_line, first_offset, next_offset, lines, accepted, job_chars,
      body, idempotency_key, at)
    select j.id, j.attempt, q.first_line, q.first_offset, q.next_offset, q.lines, q.accepted, q.job_chars, q.body, q.key,
      q.at
    from (select *, coalesce(given, now()) as at from unnest($1::text[], $2::float8[], $3::text[], $4::int[], $5::int[],
      $6::int[], $7::int[], $8::int[], $9::float8[], $10::text[], $11::text[], $12::timestamptz[]) as c
      (job_id, attempt_given, owner, first_line, first_offset, next_offset, lines, accepted, job_chars, body, key, given)) q
    join jobs j on j.id = q.job_id and j.attempt = q.attempt_given and j.claimed_by = q.owner and ${OPEN}
    order by j.id for share of j
    on conflict do nothing returning job_id`,
}

/** Lines with the instant that a test gives them. */
export interface LogAsked {
  readonly write: LogWrite
  readonly now: Date | undefined
}

interface Placed {
  readonly outcome: LogOutcome
  readonly chunk: readonly unknown[] | undefined
}

const TRIES = 16

/**
 * Appends lines to any number of logs, each job once. Two requests for the same place, on two replicas, collide on the
 * primary key; the later one looks again.
 */
export async function appendLogs(
  asked: readonly LogAsked[],
  rows: Rows,
  tries: number = TRIES,
): Promise<readonly (LogOutcome | undefined)[]> {
  const found = await rows<PositionRow>(POSITION, positionParams(asked))
  const placed = found.map((row, index) => placedAt(row, asked[index] as LogAsked))
  const chunks = placed.flatMap((each) => (each?.chunk === undefined ? [] : [each.chunk]))
  const stored = chunks.length === 0 ? [] : await rows<{ job_id: string }>(INSERT, columnsOf(chunks))
  const kept = new Set(stored.map(({ job_id }) => job_id))
  return Promise.all(
    placed.map(async (each, index) => {
      if (each === undefined || each.chunk === undefined || kept.has(each.outcome.job.id))
        return each?.outcome
      if (tries === 1)
        throw new Problem('unavailable', { detail: 'too many writers to one log', retryAfterSeconds: 1 })
      return (await appendLogs([asked[index] as LogAsked], rows, tries - 1))[0]
    }),
  )
}

function positionParams(asked: readonly LogAsked[]): readonly unknown[] {
  const column = <T>(value: (write: LogWrite) => T | undefined) =>
    asked.map(({ write }) => value(write) ?? null)
  return [
    column(({ jobId }) => jobId),
    column(({ licenseId }) => licenseId),
    column(({ fingerprint }) => fingerprint),
    column(({ attempt }) => attempt),
    asked.map(({ now }) => isoOrNull(now)),
    column(({ leaseSeconds }) => leaseSeconds),
    column(({ idempotencyKey }) => idempotencyKey),
  ]
}

const columnsOf = (chunks: readonly (readonly unknown[])[]): readonly unknown[] =>
  (chunks[0] ?? []).map((_, column) => chunks.map((chunk) => chunk[column]))

function placedAt(row: PositionRow, { write, now }: LogAsked): Placed | undefined {
  if (row.id === null) return undefined
  const job = toJob(row as JobRow)
  if (row.again_accepted !== null) {
    const outcome = { job, stored: 0, accepted: row.again_accepted, next: row.again_next ?? 0 }
    return { outcome, chunk: undefined }
  }
  const before = {
    next: row.last_attempt === row.attempt ? (row.next_offset ?? EMPTY_LOG.next) : EMPTY_LOG.next,
    jobLines: row.job_lines ?? EMPTY_LOG.jobLines,
    jobChars: row.job_chars ?? EMPTY_LOG.jobChars,
  }
  const { store, accepted, position } = placeLines(before, write.lines, write.offset)
  const outcome = { job, stored: store.length, accepted, next: position.next }
  if (store.length === 0) return { outcome, chunk: undefined }
  const counts = [before.jobLines, before.next, position.next, store.length, accepted, position.jobChars]
  const key = write.idempotencyKey ?? null
  return {
    outcome,
    chunk: [job.id, job.attempt, row.claimed_by, ...counts, encode(store), key, isoOrNull(now)],
  }
}

// JSON escapes NUL and lone surrogates, which PostgreSQL's text cannot hold.
const encode = (lines: readonly LogLine[]): string => JSON.stringify(lines.map(({ ts, line }) => [ts, line]))

interface ChunkRow {
  readonly attempt: number
  readonly first_line: number
  readonly first_offset: number
  readonly lines: number
  readonly body: string
}

// Begins at the chunk that holds line $2, so that who follows a long log does not read it again each time.
export const READ = {
  name: 'job-log-read',
  text: `select attempt, first_line, first_offset, lines, body from job_log_chunks
    where job_id = $1 and first_line + lines > $2::bigint and first_line >= coalesce(
      (select max(c.first_line) from job_log_chunks c where c.job_id = $1 and c.first_line <= $2::bigint), 0)
    order by first_line limit 64`,
}

const LENGTHS = {
  name: 'job-log-lengths',
  text: `select attempt, sum(lines)::int as lines from job_log_chunks where job_id = $1
    group by attempt order by attempt`,
}

/** Stored lines over all attempts, `after` of them skipped. */
export async function readLogs(
  session: Session,
  jobId: string,
  after: number,
  limit: number,
): Promise<readonly StoredLine[]> {
  const found: StoredLine[] = []
  let position = after
  while (found.length < limit) {
    const chunks = await session.rows<ChunkRow>(READ, [jobId, position])
    for (const chunk of chunks) {
      found.push(...decode(chunk).slice(position - chunk.first_line))
      position = chunk.first_line + chunk.lines
    }
    if (chunks.length === 0) break
  }
  return found.slice(0, limit)
}

const decode = ({ attempt, first_offset, body }: ChunkRow): StoredLine[] =>
  (JSON.parse(body) as [number, string][]).map(([ts, line], index) => ({
    attempt,
    offset: first_offset + index,
    ts,
    line,
  }))

/** How many lines each attempt stored. */
export const logLengths = (session: Session, jobId: string): Promise<readonly AttemptLines[]> =>
  session.rows<AttemptLines>(LENGTHS, [jobId])
