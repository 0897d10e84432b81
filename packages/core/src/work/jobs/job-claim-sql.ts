import { type Addressing, identity, matched } from '../../platform/database/answers.ts'
import type { Rows, Statement } from '../../platform/database/session.ts'
import { isoOrNull } from '../../platform/database/values.ts'
import type { Job } from './job.ts'
import { DRAINED, hostOf, keyed, type LeaseItem, LICENSED, ofKinds } from './job-probe-sql.ts'
import { cancelledJobIds, type JobRow, toJob, UNFINISHED } from './job-row-sql.ts'
import type { LeaseAnswer, LeaseRequest } from './jobs-store.ts'

const REQUESTS = `unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::timestamptz[], $6::text[]) with ordinality
  as asked (license_id, fingerprint, claim_key, lease_seconds, given, key_digest, place)`

interface Head {
  readonly license: string
  readonly target: string
  readonly at: string
  readonly limit: string
  /** A condition on the kind, or nothing. */
  readonly fits: string
}

// A range scan that stops at its first rows: as many buffers at 1,000,000 pending jobs as at 1,000.
// PostgreSQL checks a locked row again if another statement moved it.
const head = ({
  license,
  target,
  at,
  limit,
  fits,
}: Head) => `select ctid as tid, id, available_at, state from jobs
  where license_id = ${license} and target = ${target} and ${UNFINISHED} and available_at <= ${at}${fits}
  order by available_at, id limit ${limit} for update skip locked`

const OWN_FIRST = `q.own_id is not null
  and (shared.id is null or (q.own_at, q.own_id) <= (shared.available_at, shared.id))`

// Checked on the row at the time of the write: another statement may have moved it since it was read.
const SPENT = `(j.lost + 1 >= j.max_attempts or j.cancel_requested_at is not null)`

// The columns of a claimed job that the caller cannot know, and its new owner. All 38 columns would take the
// driver twice the time.
const LEARNED = [
  'id',
  'license_id',
  'claimed_by',
  'kind',
  'payload',
  'sealed_env',
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
  'successors',
] as const

/**
 * Hands out jobs to any number of hosts, each named once. A host has no row if it gets none: its license is
 * not usable, it is drained, its claim key names a job already, nothing is due for it, or only a job that
 * must not be handed out again. A host has its own queue and shares the queue of its license; it gets the
 * head that has been due longer. The shared queue is read once for each license, for as many hosts as ask,
 * since a search for each would give all of them the same row; hosts without work of their own choose first.
 * Rows are updated by the `ctid` under which they were locked, which is quicker than by id. A row that
 * another statement has moved meanwhile stays as it is.
 */
const claimText = (
  fits: string,
): string => `with request as (select *, coalesce(given, now()) as at from ${REQUESTS}
    ), asking as (
      select q.*, ${cancelledJobIds('q')} as cancel from request q where ${LICENSED} and not ${DRAINED} and not ${keyed()}
    ), chooser as (
      select q.*, own.tid as own_tid, own.id as own_id, own.available_at as own_at, own.state as own_state,
        row_number() over (partition by q.license_id order by own.id is not null, q.place) as turn
      from asking q left join lateral (${head({ license: 'q.license_id', target: 'q.fingerprint', at: 'q.at', limit: '1', fits })}) own on true
    ), shared as (
      select c.places[any_host.turn] as place, any_host.*
      from (select license_id, array_agg(place order by turn) as places, count(*) as hosts, max(at) as at
        from chooser group by license_id) c
      cross join lateral (select head.*, row_number() over (order by available_at, id) as turn
        from (${head({ license: 'c.license_id', target: "''", at: 'c.at', limit: 'c.hosts', fits })}) head) any_host
    ), due as (
      select q.*, case when ${OWN_FIRST} then q.own_tid else shared.tid end as tid,
        case when ${OWN_FIRST} then q.own_state else shared.state end as was
      from chooser q left join shared on shared.place = q.place and shared.available_at <= q.at
    )
    update jobs j set state = 'claimed', claimed_by = due.fingerprint, claim_key = due.claim_key, claimed_at = due.at,
      started_at = null, attempt = j.attempt + 1, lost = j.lost + (j.state <> 'pending')::int,
      available_at = due.at + make_interval(secs => due.lease_seconds)
    from due where j.ctid = due.tid and (j.state = 'pending' or not ${SPENT})
    returning due.was, due.cancel, ${LEARNED.map((column) => `j.${column}`).join(', ')}`

/** The claim of hosts that run every kind, or do not say which they run. */
export const CLAIM = { name: 'job-claim', text: claimText('') }
/** The claim of hosts that all run the kinds of the last parameter. Its scans pass over other jobs. */
export const CLAIM_OF_KINDS = { name: 'job-claim-of-kinds', text: claimText(' and kind = any ($7::text[])') }

type ClaimedRow = Pick<JobRow, (typeof LEARNED)[number]> & {
  readonly was: JobRow['state']
  readonly cancel: readonly string[] | null
}

// The row names its new owner, so that no host gets the answer of another.
const ANSWERED: Omit<Addressing<LeaseItem, ClaimedRow>, 'statement'> = {
  asker: hostOf,
  addressee: ({ license_id, claimed_by }) => identity(license_id, claimed_by ?? ''),
}

/** Claims jobs for several hosts that run the same kinds; hosts that get none are left out. */
export async function claimRows(
  items: readonly LeaseItem[],
  rows: Rows,
): Promise<ReadonlyMap<LeaseItem, LeaseAnswer>> {
  if (items.length === 0) return new Map()
  const [statement, ...kinds] = ofKinds(items, CLAIM, CLAIM_OF_KINDS)
  const found = await sendClaim(statement, [...paramsOf(items), ...kinds], rows)
  const claimed = matched({ ...ANSWERED, statement: statement.name }, items, found)
  return new Map([...claimed].map(([item, row]) => [item, answerOf(row)]))
}

const answerOf = (row: ClaimedRow): LeaseAnswer => ({
  job: claimedJob(row),
  how: row.was === 'pending' ? 'new' : 'reclaimed',
  cancel: row.cancel ?? [],
  drained: false,
  ended: [],
})

// A claim clears the end of the previous attempt, and a job with a cancel is never handed out again.
const claimedJob = (row: ClaimedRow): Job =>
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

function paramsOf(items: readonly LeaseItem[]): readonly unknown[] {
  const column = <T>(value: (request: LeaseRequest) => T | undefined) =>
    items.map(({ request }) => value(request) ?? null)
  return [
    column(({ licenseId }) => licenseId),
    column(({ fingerprint }) => fingerprint),
    column(({ claimKey }) => claimKey),
    column(({ leaseSeconds }) => leaseSeconds),
    items.map(({ now }) => isoOrNull(now)),
    column(({ keyDigest }) => keyDigest),
  ]
}

async function sendClaim(
  statement: Statement,
  params: readonly unknown[],
  rows: Rows,
): Promise<readonly ClaimedRow[]> {
  for (;;) {
    try {
      return await rows<ClaimedRow>(statement, params)
    } catch (error) {
      if (!isClaimedTwice(error)) throw error
    }
  }
}

// Two requests of a host with one claim key at the same instant, on two replicas, claim two jobs. The unique
// index rejects one of them, which finds the key in use when it runs again.
function isClaimedTwice(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return code === '23505' && constraint === 'jobs_claim_key'
}
