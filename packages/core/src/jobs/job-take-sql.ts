import { type Addressing, identity, matched } from '../database/answers.ts'
import { isoOrNull, type Rows } from '../database/session.ts'
import type { Job } from './job.ts'
import { DRAINED, hostOf, keyed, type LeaseAsked, LICENSED } from './job-look-sql.ts'
import { type JobRow, toJob, toStop, UNFINISHED } from './job-row-sql.ts'
import type { LeaseAnswer, LeaseRequest } from './jobs-store.ts'

const REQUESTS = `unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::timestamptz[], $6::text[]) with ordinality
  as asked (license_id, fingerprint, claim_key, lease_seconds, given, key_digest, place)`

// A range scan that stops at its first rows: 16-21 buffers for a hit and 4-6 for none at 1,000 and at
// 1,000,000 pending jobs. A locked row is checked again by PostgreSQL when another statement moved it.
const head = (
  license: string,
  target: string,
  at: string,
  limit: string,
) => `select ctid as tid, id, available_at, state from jobs
  where license_id = ${license} and target = ${target} and ${UNFINISHED} and available_at <= ${at}
  order by available_at, id limit ${limit} for update skip locked`

const OWN_FIRST = `q.own_id is not null
  and (shared.id is null or (q.own_at, q.own_id) <= (shared.available_at, shared.id))`

// Asked of the row as it is when it is written: another statement may have moved it since it was seen.
const SPENT = `(j.lost + 1 >= j.max_attempts or j.cancel_requested_at is not null)`

// Columns that are not known of a job that was just taken, and whose it is now. The driver reads all 38 in
// twice the time.
const LEARNED = [
  'id',
  'license_id',
  'claimed_by',
  'kind',
  'payload',
  'target',
  'urgent',
  'app',
  'serial_key',
  'dedupe_key',
  'deployment_id',
  'retry_of',
  'created_at',
  'available_at',
  'claimed_at',
  'attempt',
  'lost',
  'max_attempts',
  'timeout_seconds',
] as const

/**
 * Hands out jobs to any number of hosts, each named once, and says nothing of those that get none: whose
 * license is not usable, who are drained, whose claim key means a job already, for whom nothing is due, or
 * only what must not be handed out again. A host has a queue of its own and shares that of its license: it
 * gets the head that is due longer. The shared queue is read once a license, for as many hosts as ask, since
 * a probe for each would give the same row to all of them; hosts without work of their own choose first. Rows
 * are written where they were locked: found anew by their ids, each host would have all of them prepared to
 * be looked for, 3 of 36 µs in batches of 64. A row that another statement moved to where this one does not
 * see it stays as it is.
 */
export const TAKE = {
  name: 'job-take',
  text: `with request as (select *, coalesce(given, now()) as at from ${REQUESTS}
    ), asking as (
      select q.*, ${toStop('q')} as cancel from request q where ${LICENSED} and not ${DRAINED} and not ${keyed()}
    ), chooser as (
      select q.*, own.tid as own_tid, own.id as own_id, own.available_at as own_at, own.state as own_state,
        row_number() over (partition by q.license_id order by own.id is not null, q.place) as turn
      from asking q left join lateral (${head('q.license_id', 'q.fingerprint', 'q.at', '1')}) own on true
    ), shared as (
      select c.places[any_host.turn] as place, any_host.*
      from (select license_id, array_agg(place order by turn) as places, count(*) as hosts, max(at) as at
        from chooser group by license_id) c
      cross join lateral (select head.*, row_number() over (order by available_at, id) as turn
        from (${head('c.license_id', "''", 'c.at', 'c.hosts')}) head) any_host
    ), due as (
      select q.*, case when ${OWN_FIRST} then q.own_tid else shared.tid end as tid,
        case when ${OWN_FIRST} then q.own_state else shared.state end as was
      from chooser q left join shared on shared.place = q.place and shared.available_at <= q.at
    )
    update jobs j set state = 'claimed', claimed_by = due.fingerprint, claim_key = due.claim_key, claimed_at = due.at,
      started_at = null, attempt = j.attempt + 1, lost = j.lost + (j.state <> 'pending')::int,
      available_at = due.at + make_interval(secs => due.lease_seconds)
    from due where j.ctid = due.tid and (j.state = 'pending' or not ${SPENT})
    returning due.was, due.cancel, ${LEARNED.map((column) => `j.${column}`).join(', ')}`,
}

type TakenRow = Pick<JobRow, (typeof LEARNED)[number]> & {
  readonly was: JobRow['state']
  readonly cancel: readonly string[] | null
}

// The job itself says to whom it was given: a host is never told of one that another holds.
const ANSWERED: Addressing<LeaseAsked, TakenRow> = {
  statement: TAKE.name,
  asker: hostOf,
  addressee: ({ license_id, claimed_by }) => identity(license_id, claimed_by ?? ''),
}

/** Jobs for several hosts; those that get none are left out. */
export async function take(
  asked: readonly LeaseAsked[],
  rows: Rows,
): Promise<ReadonlyMap<LeaseAsked, LeaseAnswer>> {
  if (asked.length === 0) return new Map()
  const taken = matched(ANSWERED, asked, await takeOnce(asked, rows))
  return new Map([...taken].map(([each, row]) => [each, answerOf(row)]))
}

const answerOf = (row: TakenRow): LeaseAnswer => ({
  job: takenJob(row),
  how: row.was === 'pending' ? 'new' : 'reclaimed',
  cancel: row.cancel ?? [],
  drained: false,
  ended: [],
})

// What ended an attempt before it is over with the next, and who is asked to stop is not handed out again.
const takenJob = (row: TakenRow): Job =>
  toJob({
    ...row,
    state: 'claimed',
    due_at: row.created_at,
    started_at: null,
    finished_at: null,
    cancel_requested_at: null,
    cancel_reason: null,
    exit_code: null,
    error: null,
  })

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

async function takeOnce(asked: readonly LeaseAsked[], rows: Rows): Promise<readonly TakenRow[]> {
  const params = paramsOf(asked)
  for (;;) {
    try {
      return await rows<TakenRow>(TAKE, params)
    } catch (error) {
      if (!isClaimedTwice(error)) throw error
    }
  }
}

// Two requests of a host with one claim key at the same instant, on two replicas, take two jobs; the index
// lets one of them stand, and the other, run again, finds the key in use.
function isClaimedTwice(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return code === '23505' && constraint === 'jobs_claim_key'
}
