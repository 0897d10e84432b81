import { type Addressing, identity, matched } from '../database/answers.ts'
import type { Rows } from '../database/session.ts'
import type { Job } from './job.ts'
import { hostOf, type LeaseAsked, LICENSED } from './job-look-sql.ts'
import { IS_HELD, type JobRow, toJob, UNFINISHED } from './job-row-sql.ts'
import { RENEW_BELOW } from './lease.ts'

const LEASE_END = `keyed.at + make_interval(secs => keyed.lease_seconds)`
const SOON_OVER = `j.available_at < keyed.at + make_interval(secs => keyed.lease_seconds * ${RENEW_BELOW})`

/**
 * The job that a claim key means: a repeated claim is a write of the owner and renews its lease. A key means
 * its job only as long as that is claimed; one that is used again while its job runs is taken from it, so
 * that it can mean the next. The row is asked for by its id, spelled so that no index which was empty when
 * this was planned is read as a whole.
 *
 * Whose job it is is asked of the row as it is when it is written: while this waited for the row another host
 * may have taken it over. Without a write only a job is told whose lease is far from over, so that nobody can
 * be taking it over.
 */
export const REPEAT = {
  name: 'job-repeat',
  text: `with q as (
      select $1::text as license_id, $2::text as fingerprint, $3::text as claim_key, $4::float8 as lease_seconds,
        coalesce($5::timestamptz, now()) as at, $6::text as key_digest
    ), keyed as (
      select j.id, q.at, q.lease_seconds, q.fingerprint, q.claim_key from q join jobs j on j.license_id = q.license_id
        and j.claimed_by = q.fingerprint and j.claim_key = q.claim_key and j.${UNFINISHED}
      where ${LICENSED}
    ), changed as (
      update jobs j set claim_key = case when j.state = 'claimed' then j.claim_key end,
        available_at = case when j.state = 'claimed' then ${LEASE_END} else j.available_at end
      from keyed where j.id = keyed.id and j.claimed_by = keyed.fingerprint and j.claim_key = keyed.claim_key
        and ${IS_HELD} and (j.state <> 'claimed' or ${SOON_OVER})
      returning j.*
    )
    select * from changed where state = 'claimed'
    union all select j.* from keyed join jobs j on j.id = keyed.id
      where j.state = 'claimed' and not (${SOON_OVER})`,
}

type RepeatRow = JobRow & { readonly claim_key: string | null }

const ANSWERED: Addressing<LeaseAsked, RepeatRow> = {
  statement: REPEAT.name,
  asker: (asked) => identity(hostOf(asked), asked.request.claimKey ?? ''),
  addressee: (row) => identity(row.license_id, row.claimed_by ?? '', row.claim_key ?? ''),
}

/**
 * The job that this host has claimed with the same key before; undefined when it has not, or the job runs.
 */
export async function repeat(asked: LeaseAsked, rows: Rows): Promise<Job | undefined> {
  const { request, now } = asked
  const { licenseId, fingerprint, claimKey, leaseSeconds, keyDigest } = request
  if (claimKey === undefined) return undefined
  const params = [licenseId, fingerprint, claimKey, leaseSeconds, now, keyDigest]
  const row = matched(ANSWERED, [asked], await rows<RepeatRow>(REPEAT, params)).get(asked)
  return row === undefined ? undefined : toJob(row)
}
