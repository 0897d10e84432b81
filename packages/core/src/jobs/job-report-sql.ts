import type { Session } from '../storage/session.ts'
import type { JobState } from './job.ts'
import { reportEffect } from './job-report.ts'
import { at, HELD, type JobRow, toJob } from './job-row-sql.ts'
import type { Owner, StatusOutcome, StatusWrite } from './jobs-store.ts'
import { GIVEN_BACK_ERROR, RENEW_BELOW } from './lease.ts'

const NOW = at('$9')
const OWNER = `id = $1 and license_id = $2 and claimed_by = $3 and ($4::float8 is null or attempt = $4)`
const LEASE_END = `${NOW} + make_interval(secs => $8)`
const SOON_OVER = `available_at < ${NOW} + make_interval(secs => $8 * ${RENEW_BELOW})`

// The rule of stateAfterReport, where the row is.
const NEXT = `case when $5 = 'claimed' then state
  when $5 = 'pending' and cancel_requested_at is not null then 'failed' else $5 end`
const WANTED = `(${HELD} and (${NEXT} <> state or ${SOON_OVER}))`
const ENDS = `(${NEXT} in ('succeeded', 'failed'))`

/**
 * The conditions of ownership stand in the statement that writes. A report that changes nothing while most of the lease
 * is left writes nothing.
 */
export const REPORT = {
  name: 'job-report',
  text: `with seen as (select *, ${WANTED} as wanted from jobs where ${OWNER}),
    written as (
      update jobs set state = ${NEXT},
        claimed_by = case when ${NEXT} = 'pending' then null else claimed_by end,
        started_at = case when ${NEXT} = 'running' then coalesce(started_at, ${NOW}) else started_at end,
        finished_at = case when ${ENDS} then ${NOW} end,
        exit_code = case when ${ENDS} then $6::float8 end,
        error = case when ${ENDS} then case when $5 = 'pending' then $10 else $7::text end end,
        available_at = case when ${ENDS} then available_at when ${NEXT} <> 'pending' then ${LEASE_END}
          when urgent then '-infinity' else ${NOW} end
      where ${OWNER} and ${WANTED} returning *, true as wanted)
    select w.*, seen.state as before, true as done from written w join seen using (id)
    union all select seen.*, seen.state, not seen.wanted from seen where not exists (select from written)`,
}

type ReportRow = JobRow & { readonly before: JobState; readonly done: boolean }

const TRIES = 3

/**
 * Writes the owner's word. When the row moved between reading and writing, the statement is run again and then sees
 * what it moved to.
 */
export async function report(
  session: Session,
  write: StatusWrite,
  now: Date | undefined,
): Promise<StatusOutcome | undefined> {
  const { jobId, licenseId, fingerprint, attempt, state, exitCode, error, leaseSeconds } = write
  const params = [
    jobId,
    licenseId,
    fingerprint,
    attempt,
    state,
    exitCode,
    error,
    leaseSeconds,
    now,
    GIVEN_BACK_ERROR,
  ]
  for (let tries = 0; tries < TRIES; tries += 1) {
    const [row] = await session.rows<ReportRow>(REPORT, params)
    if (row === undefined) return undefined
    if (row.done) return { job: toJob(row), effect: reportEffect(row.before, row.state) }
  }
  return undefined
}

// Rows are locked in one order, so that two heartbeats never wait for each other.
export const RENEW = {
  name: 'job-renew',
  text: `with low as (
      select j.id from jobs j
      join unnest($1::text[], $2::text[], $3::text[], $6::float8[]) as o (id, license_id, fingerprint, attempt)
        on j.id = o.id and j.license_id = o.license_id and j.claimed_by = o.fingerprint
          and (o.attempt is null or j.attempt = o.attempt)
      where j.${HELD} and j.available_at < ${at('$5')} + make_interval(secs => $4 * ${RENEW_BELOW})
      order by j.id for update of j
    )
    update jobs j set available_at = ${at('$5')} + make_interval(secs => $4) from low where j.id = low.id`,
}

/** Renews what a heartbeat lists, where the host still holds that attempt. */
export async function renew(
  session: Session,
  owners: readonly Owner[],
  leaseSeconds: number,
  now: Date | undefined,
): Promise<void> {
  const column = <K extends keyof Owner>(key: K) => owners.map((owner) => owner[key] ?? null)
  await session.rows(RENEW, [
    column('jobId'),
    column('licenseId'),
    column('fingerprint'),
    leaseSeconds,
    now,
    column('attempt'),
  ])
}
