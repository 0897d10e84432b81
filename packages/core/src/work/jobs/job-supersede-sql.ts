import type { Rows } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import type { Job } from './job.ts'
import type { LogLine } from './job-log.ts'
import { encodeLines } from './job-log-body.ts'
import { type JobRow, toJob, UNFINISHED } from './job-row-sql.ts'
import type { SupersedeWrite } from './jobs-store.ts'

const SUPERSEDE = {
  name: 'job-supersede',
  text: `with older as (
      select id from jobs where license_id = $1 and id = any(string_to_array($2::text, ' ')) and ${UNFINISHED}
        and state = 'pending'
      order by id for update
    )
    update jobs j set state = 'failed', finished_at = ${at('$4')}, error = $3, cancel_reason = $3,
      cancel_requested_at = ${at('$4')}
    from older where j.id = older.id returning j.*`,
}

// The line belongs to the attempt before the first, so that the lines of every host stand behind it.
const PREFACE = {
  name: 'job-log-preface',
  text: `insert into job_log_chunks (job_id, attempt, first_line, first_offset, next_offset, lines, accepted, job_chars,
      body, idempotency_key, at)
    select id, 0, 0, 0, 1, 1, 1, $2::int, $3::bytea, null, ${at('$4')} from jobs where id = $1 and attempt = 0
    on conflict do nothing`,
}

/** Ends the pending ones among the named jobs. */
export async function supersede(
  rows: Rows,
  { licenseId, jobIds, reason }: SupersedeWrite,
  now: Date | undefined,
): Promise<readonly Job[]> {
  const ended = await rows<JobRow>(SUPERSEDE, [licenseId, jobIds.join(' '), reason, now])
  return ended.map(toJob).sort((one, other) => (one.id < other.id ? -1 : 1))
}

/** Stores the first line of a log. */
export async function preface(
  rows: Rows,
  jobId: string,
  line: LogLine,
  now: Date | undefined,
): Promise<void> {
  await rows(PREFACE, [jobId, line.line.length, await encodeLines([line]), now])
}
