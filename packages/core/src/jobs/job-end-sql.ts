import type { Session } from '../storage/session.ts'
import type { Job } from './job.ts'
import { at, HELD, type JobRow, toJob } from './job-row-sql.ts'
import type { SweepResult } from './jobs-store.ts'
import { CANCEL_CONFIRM_SECONDS, LOST_ERROR, UNCONFIRMED_ERROR } from './lease.ts'

const NOW = at('$2')
const LEASE_OVER = `(available_at <= ${NOW} and (lost + 1 >= max_attempts or cancel_requested_at is not null))`
const CANCEL_OVER = `cancel_requested_at + make_interval(secs => ${CANCEL_CONFIRM_SECONDS}) <= ${NOW}`

// Ownership ends with the job, so that whatever its host still sends is answered 404.
const END = {
  name: 'job-end-lost',
  text: `with gone as (
      select id, claimed_by as owner from jobs
      where ($1::text is null or id = $1) and ${HELD} and (${LEASE_OVER} or ${CANCEL_OVER})
      order by id for update skip locked
    )
    update jobs j set state = 'failed', finished_at = ${NOW}, claimed_by = null,
      lost = j.lost + (j.cancel_requested_at is null)::int,
      error = case when j.cancel_requested_at is null then format($3, left(gone.owner, 12), j.lost + 1) else $4 end
    from gone where j.id = gone.id returning j.*`,
}

const TIME_OUT = {
  name: 'job-time-out',
  text: `update jobs set cancel_requested_at = ${at('$1')}, cancel_reason = 'timeout'
    where ${HELD} and cancel_requested_at is null
      and claimed_at + make_interval(secs => timeout_seconds) <= ${at('$1')} returning *`,
}

/** Ends held jobs whose owner is lost for good, or one of them. */
export async function endLost(
  session: Session,
  jobId: string | undefined,
  now: Date | undefined,
): Promise<Job[]> {
  const rows = await session.rows<JobRow>(END, [jobId, now, LOST_ERROR, UNCONFIRMED_ERROR])
  return rows.map(toJob)
}

/** Asks jobs past their timeout to stop and ends lost ones. */
export async function sweep(session: Session, now: Date | undefined): Promise<SweepResult> {
  const timedOut = (await session.rows<JobRow>(TIME_OUT, [now])).map(toJob)
  return { timedOut, ended: await endLost(session, undefined, now) }
}
