import { isoOrNull, type Rows } from '../storage/session.ts'
import type { Job } from './job.ts'
import { endLost } from './job-end-sql.ts'
import { type LeaseAsked, LICENSED, look } from './job-look-sql.ts'
import { type JobRow, toJob, toStop, UNFINISHED } from './job-row-sql.ts'
import type { LeaseAnswer, LeaseRequest } from './jobs-store.ts'
import { RENEW_BELOW } from './lease.ts'

const REQUESTS = `unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::timestamptz[], $6::text[]) with ordinality
  as q (license_id, fingerprint, claim_key, lease_seconds, given, key_digest, place)`

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

// `again` and `renewed` are spelled so that no index which was empty when they were planned is read as a whole. Hosts are
// never joined by license with the jobs of its queue, since that compares each with each, 16,000 pairs for 128 hosts; and
// rows to write are named in an array, since the planner, who takes them for thousands, would read the table for them.
/**
 * Hands out jobs to any number of hosts, each named once; where the license is not usable, none. A host has a queue of its
 * own and shares that of its license: it gets the head that is due longer. The shared queue is read once a license, for as
 * many hosts as ask, since a probe for each would give the same row to all of them; hosts without work of their own choose
 * first. A due job that must not be handed out again is only named (`spent_id`). A repeated claim is a write of the owner: it
 * renews the lease. A key means the job that it got only as long as that is claimed; one that is used again while its job runs
 * is taken from it first, unless the job itself is handed out here: a statement writes a row once.
 */
export const LEASE = {
  name: 'job-lease',
  text: `with request as (select q.*, coalesce(q.given, now()) as at from ${REQUESTS}
    ), host as (
      select q.*, a.drained_at is not null as drained, ${LICENSED} as licensed, ${toStop('q')} as cancel
      from request q left join agents a on a.license_id = q.license_id and a.fingerprint = q.fingerprint
    ), keyed as (
      select q.place, q.at, q.lease_seconds, mine.* from host q cross join lateral (select id, state from jobs j
        where j.license_id = q.license_id and j.claimed_by = q.fingerprint and j.claim_key = q.claim_key
          and j.${UNFINISHED} limit 1) mine
      where q.claim_key is not null and q.licensed
    ), again as (select * from keyed where state = 'claimed'
    ), renewed as (
      update jobs j set available_at = again.at + make_interval(secs => again.lease_seconds)
      from again where j.id = again.id and coalesce(j.state, '') = 'claimed'
        and j.available_at < again.at + make_interval(secs => again.lease_seconds * ${RENEW_BELOW})
      returning again.place, j.*
    ), asking as (
      select * from host where licensed and not drained and not place = any (array(select place from again))
    ), own as (
      select q.place, mine.* from asking q
      cross join lateral (${head('q.license_id', 'q.fingerprint', 'q.at', '1')}) mine
    ), chooser as (
      select q.*, row_number() over (partition by q.license_id order by own.id is not null, q.place) as turn
      from asking q left join own using (place)
    ), shared as (
      select c.places[any_host.turn] as place, any_host.id, any_host.available_at, any_host.state
      from (select license_id, array_agg(place order by turn) as places, count(*) as hosts, max(at) as at
        from chooser group by license_id) c
      cross join lateral (select head.*, row_number() over (order by available_at, id) as turn
        from (${head('c.license_id', "''", 'c.at', 'c.hosts')}) head) any_host
    ), due as (
      select c.place, c.fingerprint, c.claim_key, c.lease_seconds, c.at,
        case when own.id is not null and (shared.id is null
          or (own.available_at, own.id) <= (shared.available_at, shared.id)) then own.id else shared.id end as id,
        case when own.id is not null and (shared.id is null
          or (own.available_at, own.id) <= (shared.available_at, shared.id)) then own.state else shared.state end as was
      from chooser c left join own on own.place = c.place
      left join shared on shared.place = c.place and shared.available_at <= c.at
    ), forgotten as (
      update jobs j set claim_key = null from keyed where j.id = keyed.id and keyed.state <> 'claimed'
        and j.state <> 'claimed' and not j.id = any (array(select id from due where id is not null)) returning j.id
    ), taken as (
      update jobs j set state = 'claimed', claimed_by = due.fingerprint, claim_key = due.claim_key, claimed_at = due.at,
        started_at = null, attempt = j.attempt + 1, lost = j.lost + (j.state <> 'pending')::int,
        available_at = due.at + make_interval(secs => due.lease_seconds)
      from due where j.id = any (array(select id from due)) and j.id = due.id and (j.state = 'pending' or not ${SPENT})
        and (select count(*) from forgotten) >= 0
      returning due.place, j.*, case when due.was = 'pending' then 'new' else 'reclaimed' end as how
    ), job as (
      select * from taken
      union all select *, 'repeated' from renewed
      union all select again.place, j.*, 'repeated' from again join jobs j on j.id = again.id
        where not exists (select from renewed where renewed.place = again.place)
    ), spent as (
      select place, id from due where id is not null and place not in (select place from taken)
    )
    select job.*, host.licensed, host.drained, host.cancel, spent.id as spent_id
    from host left join job on job.place = host.place left join spent on spent.place = host.place
    order by host.place`,
}

type LeaseRow = { readonly [K in keyof JobRow]: JobRow[K] | null } & {
  readonly how: LeaseAnswer['how'] | null
  readonly licensed: boolean
  readonly drained: boolean
  readonly cancel: readonly string[]
  readonly spent_id: string | null
}

/**
 * Leases for several hosts, those for whom there is something; undefined for whom no license speaks. Who finds a spent
 * job ends it and asks again. `isBusy`: whether work is likely for most, so that a look before is not worth its time.
 */
export async function lease(
  asked: readonly LeaseAsked[],
  rows: Rows,
  isBusy: boolean,
): Promise<readonly (LeaseAnswer | undefined)[]> {
  const seen = isBusy ? [] : await look(rows, asked)
  const idle = seen.map((look) => (look.licensed && look.promising ? undefined : look))
  const asking = asked.filter((_, index) => idle[index] === undefined)
  const leased = (await leaseOnce(asking, rows)).values()
  return Promise.all(
    asked.map((each, index) => {
      const told = idle[index]
      if (told === undefined) return settled(leased.next().value, each, rows)
      const { licensed, drained, cancel } = told
      return licensed ? { job: undefined, how: undefined, cancel, drained, ended: [] } : undefined
    }),
  )
}

function paramsOf(asked: readonly LeaseAsked[]): readonly unknown[] {
  const column = <T>(value: (request: LeaseRequest) => T | undefined) =>
    asked.map(({ request }) => value(request) ?? null)
  return [
    column(({ licenseId }) => licenseId),
    column(({ fingerprint }) => fingerprint),
    column(({ claimKey }) => claimKey),
    column(({ leaseSeconds }) => leaseSeconds),
    asked.map(({ now }) => isoOrNull(now)),
    column(({ keyDigest }) => keyDigest),
  ]
}

async function leaseOnce(asked: readonly LeaseAsked[], rows: Rows): Promise<readonly LeaseRow[]> {
  if (asked.length === 0) return []
  const params = paramsOf(asked)
  for (;;) {
    const found = await rows<LeaseRow>(LEASE, params).catch(noneIfClaimedTwice)
    if (found.length > 0) return found
  }
}

async function settled(
  first: LeaseRow | undefined,
  asked: LeaseAsked,
  rows: Rows,
): Promise<LeaseAnswer | undefined> {
  const ended: Job[] = []
  let latest = first
  while (latest !== undefined && latest.spent_id !== null) {
    ended.push(...(await endLost(rows, latest.spent_id, asked.now)))
    latest = (await leaseOnce([asked], rows))[0]
  }
  if (latest === undefined) throw new Error('the lease statement returned no row')
  // What was ended on the way is to be told, whatever became of the license since.
  if (!latest.licensed && ended.length === 0) return undefined
  const job = latest.id === null ? undefined : toJob(latest as JobRow)
  const cancel = latest.cancel.filter((id) => !ended.some((job) => job.id === id))
  return { job, how: latest.how ?? undefined, cancel, drained: latest.drained, ended }
}

// Two requests of a host with one claim key at the same instant, on two replicas, find nothing to repeat and take two
// jobs; the index lets one of them stand, and the other, run again, repeats it.
function noneIfClaimedTwice(error: unknown): [] {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  if (code === '23505' && constraint === 'jobs_claim_key') return []
  throw error
}
