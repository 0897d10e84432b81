import { Problem } from '../problem.ts'
import type { Session } from '../storage/session.ts'
import { EMPTY_LOG, type LogLine, placeLines, type StoredLine } from './job-log.ts'
import { at, HELD, type JobRow, toJob } from './job-row-sql.ts'
import type { AttemptLines, LogOutcome, LogWrite } from './jobs-store.ts'
import { LATE_LOGS_SECONDS, RENEW_BELOW } from './lease.ts'

const OPEN = (now: string) =>
  `(${HELD} or finished_at > ${now} - make_interval(secs => ${LATE_LOGS_SECONDS}))`
const LAST = 'order by c.first_line desc limit 1'

/** Where the log stands, what a repeated key got, and the renewal of the lease, for the owner only. */
export const POSITION = {
  name: 'job-log-position',
  text: `with job as (
      select * from jobs where id = $1 and license_id = $2 and claimed_by = coalesce($3::text, claimed_by)
        and attempt = coalesce($4::float8, attempt) and ${OPEN(at('$5'))}
    ), renewed as (
      update jobs j set available_at = ${at('$5')} + make_interval(secs => $6) from job
      where j.id = job.id and j.claimed_by = job.claimed_by and j.attempt = job.attempt and j.${HELD}
        and j.available_at < ${at('$5')} + make_interval(secs => $6 * ${RENEW_BELOW}))
    select job.*, last.attempt as last_attempt, last.next_offset,
      last.first_line + last.lines as job_lines, last.job_chars::float8 as job_chars,
      again.accepted as again_accepted, again.next_offset as again_next
    from job
    left join lateral (select * from job_log_chunks c where c.job_id = job.id ${LAST}) last on true
    left join lateral (select * from job_log_chunks c where c.job_id = job.id and c.idempotency_key = $7) again on true`,
}

interface PositionRow extends JobRow {
  readonly last_attempt: number | null
  readonly next_offset: number | null
  readonly job_lines: number | null
  readonly job_chars: number | null
  readonly again_accepted: number | null
  readonly again_next: number | null
}

/**
 * Stores a chunk while the writer still owns this attempt; nothing when somebody else wrote there first. The job's row
 * is locked for share (its foreign key would lock it anyway), so that nobody takes the job over in between.
 */
const INSERT = {
  name: 'job-log-insert',
  text: `insert into job_log_chunks (job_id, attempt, first_line, first_offset, next_offset, lines, accepted, job_chars,
      body, idempotency_key, at)
    select id, attempt, $4, $5, $6, $7, $8, $9, $10, $11, ${at('$12')} from jobs
    where id = $1 and attempt = $2 and claimed_by = $3 and ${OPEN(at('$12'))} for share
    on conflict do nothing returning job_id`,
}

const TRIES = 16

function position(row: PositionRow) {
  const { next, jobLines, jobChars } = EMPTY_LOG
  return {
    next: row.last_attempt === row.attempt ? (row.next_offset ?? next) : next,
    jobLines: row.job_lines ?? jobLines,
    jobChars: row.job_chars ?? jobChars,
  }
}

/** Appends lines. Two requests for the same place collide on the primary key; the later one looks again. */
export async function appendLogs(
  session: Session,
  write: LogWrite,
  now: Date | undefined,
): Promise<LogOutcome | undefined> {
  const { jobId, licenseId, fingerprint, attempt, lines, offset, idempotencyKey, leaseSeconds } = write
  const asked = [jobId, licenseId, fingerprint, attempt, now, leaseSeconds, idempotencyKey]
  for (let tries = 0; tries < TRIES; tries += 1) {
    const [row] = await session.rows<PositionRow>(POSITION, asked)
    if (row === undefined) return undefined
    const job = toJob(row)
    if (row.again_accepted !== null) {
      return { job, stored: 0, accepted: row.again_accepted, next: row.again_next ?? 0 }
    }
    const before = position(row)
    const placed = placeLines(before, lines, offset)
    const outcome = {
      job,
      stored: placed.store.length,
      accepted: placed.accepted,
      next: placed.position.next,
    }
    if (placed.store.length === 0) return outcome
    const { jobChars, next } = placed.position
    const counts = [before.jobLines, before.next, next, placed.store.length, placed.accepted, jobChars]
    const chunk = [job.id, job.attempt, row.claimed_by, ...counts, encode(placed.store), idempotencyKey, now]
    if ((await session.rows(INSERT, chunk)).length > 0) return outcome
  }
  throw new Problem('unavailable', { detail: 'too many writers to one log', retryAfterSeconds: 1 })
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
    where job_id = $1 and first_line + lines > $2 and first_line >= coalesce(
      (select max(c.first_line) from job_log_chunks c where c.job_id = $1 and c.first_line <= $2), 0)
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
