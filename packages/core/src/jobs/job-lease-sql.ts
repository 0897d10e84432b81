import { isoOrNull, type Rows } from '../storage/session.ts'
import { endLost } from './job-end-sql.ts'
import { HELD, type JobRow, toJob, UNFINISHED } from './job-row-sql.ts'
import type { LeaseAnswer, LeaseRequest } from './jobs-store.ts'
import { RENEW_BELOW } from './lease.ts'

const REQUESTS = `unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::timestamptz[]) with ordinality
  as q (license_id, fingerprint, claim_key, lease_seconds, given, place)`

// A range scan that stops at its first rows: 16-21 buffers for a hit and 4-6 for none at 1,000 and at 1,000,000 pending
// jobs. A locked row is checked again by PostgreSQL when another statement moved it.
const head = (
  license: string,
  target: string,
  at: string,
  limit: string,
) => `select id, available_at, state from jobs
  where license_id = ${license} and target = ${target} and ${UNFINISHED} and available_at <= ${at}
  order by available_at, id limit ${limit} for update skip locked`

// Asked of the row as it is when it is written: another statement may have moved it since it was seen.
const SPENT = `(j.lost + 1 >= j.max_attempts or j.cancel_requested_at is not null)`

/**
 * Hands out jobs to any number of hosts, each named once. A host has a queue of its own and shares that of its license:
 * it gets the head that is due longer. The shared queue is read once a license, for as many hosts as ask, since a probe
 * for each would give the same row to all of them; hosts without work of their own choose first. A due job that must not
 * be handed out again is only named (`spent_id`). A repeated claim is a write of the owner: it renews the lease.
 */
export const LEASE = {
  name: 'job-lease',
  text: `with request as (select q.*, coalesce(q.given, now()) as at from ${REQUESTS}
    ), host as (
      select q.*, a.drained_at is not null as drained
      from request q left join agents a on a.license_id = q.license_id and a.fingerprint = q.fingerprint
    ), again as (
      select q.place, q.at, q.lease_seconds, j.id from request q join jobs j
        on j.license_id = q.license_id and j.claimed_by = q.fingerprint and j.claim_key = q.claim_key
          and j.state = 'claimed'
    ), renewed as (
      update jobs j set available_at = again.at + make_interval(secs => again.lease_seconds)
      from again where j.id = again.id and j.state = 'claimed'
        and j.available_at < again.at + make_interval(secs => again.lease_seconds * ${RENEW_BELOW})
      returning again.place, j.*
    ), asking as (
      select * from host where not drained and not exists (select from again where again.place = host.place)
    ), own as (
      select q.place, mine.* from asking q
      cross join lateral (${head('q.license_id', 'q.fingerprint', 'q.at', '1')}) mine
    ), chooser as (
      select q.*, row_number() over (partition by q.license_id order by own.id is not null, q.place) as turn
      from asking q left join own using (place)
    ), shared as (
      select c.license_id, any_host.*, row_number() over (partition by c.license_id
        order by any_host.available_at, any_host.id) as turn
      from (select license_id, count(*) as hosts, max(at) as at from chooser group by license_id) c
      cross join lateral (${head('c.license_id', "''", 'c.at', 'c.hosts')}) any_host
    ), due as (
      select c.place, c.fingerprint, c.claim_key, c.lease_seconds, c.at,
        case when own.id is not null and (shared.id is null
          or (own.available_at, own.id) <= (shared.available_at, shared.id)) then own.id else shared.id end as id,
        case when own.id is not null and (shared.id is null
          or (own.available_at, own.id) <= (shared.available_at, shared.id)) then own.state else shared.state end as was
      from chooser c left join own using (place)
      left join shared on shared.license_id = c.license_id and shared.turn = c.turn and shared.available_at <= c.at
    ), taken as (
      update jobs j set state = 'claimed', claimed_by = due.fingerprint, claim_key = due.claim_key, claimed_at = due.at,
        started_at = null, attempt = j.attempt + 1, lost = j.lost + (j.state <> 'pending')::int,
        available_at = due.at + make_interval(secs => due.lease_seconds)
      from due where j.id = due.id and (j.state = 'pending' or not ${SPENT})
      returning due.place, j.*, case when due.was = 'pending' then 'new' else 'reclaimed' end as how
    ), job as (
      select * from taken
      union all select *, 'repeated' from renewed
      union all select again.place, j.*, 'repeated' from again join jobs j on j.id = again.id
        where not exists (select from renewed where renewed.place = again.place)
    )
    select job.*, host.drained,
      (select due.id from due where due.place = host.place
        and not exists (select from taken where taken.place = due.place)) as spent_id,
      array(select c.id from jobs c where c.license_id = host.license_id and c.claimed_by = host.fingerprint
        and c.cancel_requested_at is not null and c.${HELD} order by c.id) as cancel
    from host left join job on job.place = host.place order by host.place`,
}

type LeaseRow = { readonly [K in keyof JobRow]: JobRow[K] | null } & {
  readonly how: LeaseAnswer['how'] | null
  readonly drained: boolean
  readonly spent_id: string | null
  readonly cancel: readonly string[]
}

/** A request with the instant that a test gives it. */
export interface LeaseAsked {
  readonly request: LeaseRequest
  readonly now: Date | undefined
}

/** Leases for several hosts. Who finds a spent job ends it and asks again. */
export async function lease(asked: readonly LeaseAsked[], rows: Rows): Promise<readonly LeaseAnswer[]> {
  const answers = await leaseOnce(asked, rows)
  return Promise.all(answers.map((row, index) => settled(row, asked[index] as LeaseAsked, rows)))
}

async function leaseOnce(asked: readonly LeaseAsked[], rows: Rows): Promise<readonly LeaseRow[]> {
  const column = <T>(value: (request: LeaseRequest) => T | undefined) =>
    asked.map(({ request }) => value(request) ?? null)
  const params = [
    column(({ licenseId }) => licenseId),
    column(({ fingerprint }) => fingerprint),
    column(({ claimKey }) => claimKey),
    column(({ leaseSeconds }) => leaseSeconds),
    asked.map(({ now }) => isoOrNull(now)),
  ]
  for (;;) {
    const found = await rows<LeaseRow>(LEASE, params).catch(noneIfClaimedTwice)
    if (found.length > 0) return found
  }
}

async function settled(row: LeaseRow, asked: LeaseAsked, rows: Rows): Promise<LeaseAnswer> {
  const ended = []
  let latest = row
  while (latest.spent_id !== null) {
    ended.push(...(await endLost(rows, latest.spent_id, asked.now)))
    const [again] = await leaseOnce([asked], rows)
    if (again === undefined) throw new Error('the lease statement returned no row')
    latest = again
  }
  const job = latest.id === null ? undefined : toJob(latest as JobRow)
  return { job, how: latest.how ?? undefined, cancel: latest.cancel, drained: latest.drained, ended }
}

// Two requests of a host with one claim key at the same instant, on two replicas, find nothing to repeat and take two
// jobs; the index lets one of them stand, and the other, run again, repeats it.
function noneIfClaimedTwice(error: unknown): [] {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  if (code === '23505' && constraint === 'jobs_claim_key') return []
  throw error
}
