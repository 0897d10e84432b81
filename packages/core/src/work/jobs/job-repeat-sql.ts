import { type Addressing, identity, matched } from '../../platform/database/answers.ts'
import type { Rows } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import type { Job } from './job.ts'
import { hostOf, type LeaseItem, LICENSED } from './job-probe-sql.ts'
import { HELD_BY_ID, type JobRow, toJob, UNFINISHED } from './job-row-sql.ts'
import { RENEW_BELOW } from './lease.ts'

const LEASE_END = `keyed.at + make_interval(secs => keyed.lease_seconds)`
const SOON_OVER = `j.available_at < keyed.at + make_interval(secs => keyed.lease_seconds * ${RENEW_BELOW})`

/**
 * Finds the job of a claim key. A repeated claim is a write of the owner and renews its lease. A key names
 * its job only while that is claimed: if it is used again while the job runs, the job loses it, and the key
 * can name the next job. Looks up by id, written so that the planner cannot pick a partial index that it once
 * saw empty (decision 13).
 *
 * The update checks the owner again, since another host may take the job over while this statement waits for
 * the row. Without an update, only a job whose lease is far from over is returned: no host can be taking it
 * over.
 */
export const REPEAT = {
  name: 'job-repeat',
  text: `with q as (
      select $1::text as license_id, $2::text as fingerprint, $3::text as claim_key, $4::float8 as lease_seconds,
        ${at('$5')} as at, $6::text as key_digest
    ), keyed as (
      select j.id, q.at, q.lease_seconds, q.fingerprint, q.claim_key from q join jobs j on j.license_id = q.license_id
        and j.claimed_by = q.fingerprint and j.claim_key = q.claim_key and j.${UNFINISHED}
      where ${LICENSED}
    ), changed as (
      update jobs j set claim_key = case when j.state = 'claimed' then j.claim_key end,
        available_at = case when j.state = 'claimed' then ${LEASE_END} else j.available_at end
      from keyed where j.id = keyed.id and j.claimed_by = keyed.fingerprint and j.claim_key = keyed.claim_key
        and ${HELD_BY_ID} and (j.state <> 'claimed' or ${SOON_OVER})
      returning j.*
    )
    select * from changed where state = 'claimed'
    union all select j.* from keyed join jobs j on j.id = keyed.id
      where j.state = 'claimed' and not (${SOON_OVER})`,
}

type RepeatRow = JobRow & { readonly claim_key: string | null }

const ANSWERED: Addressing<LeaseItem, RepeatRow> = {
  statement: REPEAT.name,
  asker: (item) => identity(hostOf(item), item.request.claimKey ?? ''),
  addressee: (row) => identity(row.license_id, row.claimed_by ?? '', row.claim_key ?? ''),
}

/**
 * The job that this host has claimed with the same key before; undefined if there is none, or the job runs.
 */
export async function repeatClaim(item: LeaseItem, rows: Rows): Promise<Job | undefined> {
  const { request, now } = item
  const { licenseId, fingerprint, claimKey, leaseSeconds, keyDigest } = request
  if (claimKey === undefined) return undefined
  const params = [licenseId, fingerprint, claimKey, leaseSeconds, now, keyDigest]
  const row = matched(ANSWERED, [item], await rows<RepeatRow>(REPEAT, params)).get(item)
  return row === undefined ? undefined : toJob(row)
}
