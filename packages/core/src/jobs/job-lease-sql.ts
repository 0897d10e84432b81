import type { Session } from '../storage/session.ts'
import { endLost } from './job-end-sql.ts'
import { at, HELD, type JobRow, toJob, UNFINISHED } from './job-row-sql.ts'
import type { LeaseAnswer, LeaseRequest } from './jobs-store.ts'
import { RENEW_BELOW } from './lease.ts'

const NOW = at('$5')

// One probe is a range scan that stops at its first row: 16-21 buffers for a hit and 4-6 for none at 1,000 and at
// 1,000,000 pending jobs. The locked row is checked again by PostgreSQL when another statement moved it.
const head = (target: string, columns: string, lock: string) => `select ${columns} from jobs
  where license_id = $1 and target = ${target} and ${UNFINISHED} and available_at <= ${NOW}
  order by available_at, id limit 1 ${lock}`
const take = (target: string) => `(${head(target, 'id', 'for update skip locked')})`

// Asked of the row as it is when it is written: another statement may have moved it since it was seen.
const SPENT = `(j.lost + 1 >= j.max_attempts or j.cancel_requested_at is not null)`

/**
 * Hands out one job. `due` locks the head of the two queues that this host may serve, the one due longer first; the
 * second probe runs only when the first is empty. A due job that must not be handed out again is only named (`spent`).
 * A repeated claim is a write of the owner: it renews the lease.
 */
export const LEASE = {
  name: 'job-lease',
  text: `with host as (
      select coalesce(bool_or(drained_at is not null), false) as drained from agents
      where license_id = $1 and fingerprint = $2
    ), again as (
      select id from jobs where license_id = $1 and claimed_by = $2 and claim_key = $3 and state = 'claimed'
    ), renewed as (
      update jobs j set available_at = ${NOW} + make_interval(secs => $4)
      from again where j.id = again.id and j.claimed_by = $2 and j.claim_key = $3 and j.state = 'claimed'
        and j.available_at < ${NOW} + make_interval(secs => $4 * ${RENEW_BELOW})
      returning j.*
    ), own as (${head('$2', 'available_at, id', '')}
    ), any_host as (${head("''", 'available_at, id', '')}
    ), due as (
      select id, state from jobs where id = (
        select case when not exists (select from any_host)
            or (select (available_at, id) from own) <= (select (available_at, id) from any_host)
          then coalesce(${take('$2')}, ${take("''")})
          else coalesce(${take("''")}, ${take('$2')}) end
        from host where not drained and not exists (select from again))
    ), taken as (
      update jobs j set state = 'claimed', claimed_by = $2, claim_key = $3, claimed_at = ${NOW}, started_at = null,
        attempt = j.attempt + 1, lost = j.lost + (j.state <> 'pending')::int,
        available_at = ${NOW} + make_interval(secs => $4)
      from due where j.id = due.id and (j.state = 'pending' or not ${SPENT})
      returning j.*, case when due.state = 'pending' then 'new' else 'reclaimed' end as how
    ), job as (
      select * from taken
      union all select *, 'repeated' from renewed
      union all select j.*, 'repeated' from jobs j join again using (id) where not exists (select from renewed)
    )
    select job.*, host.drained,
      (select id from due where not exists (select from taken)) as spent_id,
      array(select c.id from jobs c where c.license_id = $1 and c.claimed_by = $2
        and c.cancel_requested_at is not null and c.${HELD} order by c.id) as cancel
    from host left join job on true`,
}

type LeaseRow = { readonly [K in keyof JobRow]: JobRow[K] | null } & {
  readonly how: LeaseAnswer['how'] | null
  readonly drained: boolean
  readonly spent_id: string | null
  readonly cancel: readonly string[]
}

/** Runs the lease statement until it names no spent job; each spent one is ended on the way. */
export async function lease(
  session: Session,
  request: LeaseRequest,
  now: Date | undefined,
): Promise<LeaseAnswer> {
  const { licenseId, fingerprint, claimKey, leaseSeconds } = request
  const ended = []
  for (;;) {
    const params = [licenseId, fingerprint, claimKey, leaseSeconds, now]
    const [row] = await session.rows<LeaseRow>(LEASE, params).catch(noneIfClaimedTwice)
    if (row === undefined) continue
    if (row.spent_id === null) {
      const job = row.id === null ? undefined : toJob(row as JobRow)
      return { job, how: row.how ?? undefined, cancel: row.cancel, drained: row.drained, ended }
    }
    ended.push(...(await endLost(session, row.spent_id, now)))
  }
}

// Two requests of a host with one claim key at the same instant find nothing to repeat and take two jobs; the index
// lets one of them stand, and the other, run again, repeats it.
function noneIfClaimedTwice(error: unknown): [] {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  if (code === '23505' && constraint === 'jobs_claim_key') return []
  throw error
}
