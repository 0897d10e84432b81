import { type Addressing, identity, matched } from '../../platform/database/answers.ts'
import type { Rows } from '../../platform/database/session.ts'
import { isoOrNull } from '../../platform/database/values.ts'
import type { JobState } from './job.ts'
import { reportEffect } from './job-report.ts'
import { HELD_BY_ID, REPORTED, type ReportedRow, toReportedJob } from './job-row-sql.ts'
import type { Owner, StatusOutcome, StatusWrite } from './jobs-store.ts'
import { GIVEN_BACK_ERROR, RENEW_BELOW } from './lease.ts'

const REPORTS = `unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::text[], $6::float8[], $7::text[],
  $8::float8[], $9::timestamptz[])
  as q (job_id, license_id, fingerprint, attempt_given, reported, code, reason, lease_seconds, given)`
/** SQL: a row `j` that the writer of `q` owns. */
export const OWNER = `j.id = q.job_id and j.license_id = q.license_id and j.claimed_by = q.fingerprint
  and (q.attempt_given is null or j.attempt = q.attempt_given)`
/** SQL: the end of a lease that `q` renews. */
export const LEASE_END = `q.at + make_interval(secs => q.lease_seconds)`
/** SQL: whether less of the lease of `j` is left than a write of `q` leaves as it is. */
export const SOON_OVER = `j.available_at < q.at + make_interval(secs => q.lease_seconds * ${RENEW_BELOW})`

// The rule of stateAfterReport in SQL.
const NEXT = `case when q.reported = 'claimed' then j.state
  when q.reported = 'pending' and j.cancel_requested_at is not null then 'failed' else q.reported end`
const WANTED = `(${HELD_BY_ID} and (${NEXT} <> j.state or ${SOON_OVER}))`
const ENDS = `(${NEXT} in ('succeeded', 'failed'))`

/**
 * Writes the reports of any number of owners, each job once. A report that changes nothing writes nothing
 * while most of the lease is left, and the report that a job runs changes no index. The conditions are
 * checked on the row at the time of the write. Rows are written in one order, so that two statements never
 * wait for each other.
 */
export const REPORT = {
  name: 'job-report',
  text: `update jobs j set state = ${NEXT},
      claimed_by = case when ${NEXT} = 'pending' then null else j.claimed_by end,
      started_at = case when ${NEXT} = 'running' then coalesce(j.started_at, q.at) else j.started_at end,
      finished_at = case when ${ENDS} then q.at end,
      exit_code = case when ${ENDS} then q.code end,
      error = case when ${ENDS} then case when q.reported = 'pending' then $10 else q.reason end end,
      available_at = case when ${NEXT} = 'pending' then case when j.urgent then '-infinity' else q.at end
        when ${ENDS} or not ${SOON_OVER} then j.available_at else ${LEASE_END} end
    from (select *, coalesce(given, now()) as at from ${REPORTS} order by job_id) q
    where ${OWNER} and ${WANTED} returning ${REPORTED}`,
}

/** Reads the jobs of owners, and whether their reports now change something: then the row has moved. */
export const READ_BACK = {
  name: 'job-read-back',
  text: `select ${REPORTED}, ${WANTED} as is_wanted
    from (select *, coalesce(given, now()) as at from ${REPORTS}) q join jobs j on ${OWNER}`,
}

type ReadBackRow = ReportedRow & { readonly is_wanted: boolean }

/** A report, with the instant that a test gives it. */
export interface StatusItem {
  readonly write: StatusWrite
  readonly now: Date | undefined
}

/** The identity of the job of a report: a statement has one report for each. */
export const jobOf = ({ write }: { readonly write: Pick<Owner, 'jobId'> }): string => identity(write.jobId)

const addressing = (statement: string): Addressing<StatusItem, ReportedRow> => ({
  statement,
  asker: jobOf,
  addressee: ({ id }) => identity(id),
})
const WRITTEN = addressing(REPORT.name)
const READ = addressing(READ_BACK.name)

const TRIES = 3

/**
 * Writes reports of owners; undefined for a writer who is not the owner. If a row moved between the write and
 * the read, its report is written again.
 */
export async function report(
  items: readonly StatusItem[],
  rows: Rows,
): Promise<readonly (StatusOutcome | undefined)[]> {
  const outcomes = new Map<StatusItem, StatusOutcome>()
  let left = items
  for (let tries = 0; tries < TRIES && left.length > 0; tries += 1) {
    const written = matched(
      WRITTEN,
      left,
      await rows<ReportedRow>(REPORT, [...paramsOf(left), GIVEN_BACK_ERROR]),
    )
    // Only held jobs are written.
    for (const [each, row] of written) outcomes.set(each, outcomeOf(row, 'running'))
    left = left.filter((each) => !written.has(each))
    if (left.length === 0) break
    const read = matched(READ, left, await rows<ReadBackRow>(READ_BACK, paramsOf(left)))
    for (const [each, row] of read) if (!row.is_wanted) outcomes.set(each, outcomeOf(row, row.state))
    left = left.filter((each) => read.get(each)?.is_wanted)
  }
  return items.map((each) => outcomes.get(each))
}

const outcomeOf = (row: ReportedRow, before: JobState): StatusOutcome => ({
  job: toReportedJob(row),
  effect: reportEffect(before, row.state),
})

function paramsOf(items: readonly StatusItem[]): readonly unknown[] {
  const column = <T>(value: (write: StatusWrite) => T | undefined) =>
    items.map(({ write }) => value(write) ?? null)
  return [
    column(({ jobId }) => jobId),
    column(({ licenseId }) => licenseId),
    column(({ fingerprint }) => fingerprint),
    column(({ attempt }) => attempt),
    column(({ state }) => state),
    column(({ exitCode }) => exitCode),
    column(({ error }) => error),
    column(({ leaseSeconds }) => leaseSeconds),
    items.map(({ now }) => isoOrNull(now)),
  ]
}
