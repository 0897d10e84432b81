import { type SqlBool, sql } from 'kysely'
import { Problem } from '../../kernel/problem.ts'
import type { Scope } from '../../kernel/scope.ts'
import { idOf, scoped as scopedText } from '../../platform/database/scoped-statement.ts'
import { Scratch } from '../../platform/database/scratch.ts'
import type { Session } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { atOrNow, isAbsent, present } from '../../platform/database/typed-statement.ts'
import type { Job, JobState } from './job.ts'
import { sweep } from './job-end-sql.ts'
import { leaseBatch } from './job-lease-sql.ts'
import { lastClaim, list, lookedTo } from './job-list-sql.ts'
import { type LogLine, LogRoom, type StoredLine } from './job-log.ts'
import { appendLogs, type LogItem } from './job-log-append-sql.ts'
import { logLengths, readLogs } from './job-logs-sql.ts'
import { hostOf, type LeaseItem } from './job-probe-sql.ts'
import { hostOf as hostOfHeartbeat, type RenewItem, renewBatch } from './job-renew-sql.ts'
import { jobOf, report, type StatusItem } from './job-report-sql.ts'
import { type JobRow, toJob, UNFINISHED } from './job-row-sql.ts'
import { preface, supersede } from './job-supersede-sql.ts'
import { scoped, statement } from './job-tables-sql.ts'
import { upcoming } from './job-upcoming-sql.ts'
import type * as port from './jobs-store.ts'
import { CANCELLED_ERROR } from './lease.ts'
import { LogPositions } from './log-positions.ts'

export { entities } from './job-tables-sql.ts'

// The words of the partial indexes.
const IS_UNFINISHED = sql.raw<SqlBool>(UNFINISHED)

type Inserted = Omit<port.NewJob, 'payload' | 'successors'> & {
  payload: string
  successors: string | undefined
  now: Date | undefined
}
const INSERT = statement('job-insert', (tables, given: Inserted) => {
  const due = sql<Date>`coalesce(${given.runAt}::timestamptz, ${atOrNow(given.now)})`
  return tables
    .insertInto('jobs')
    .values({
      id: given.id,
      license_id: given.licenseId,
      kind: given.kind,
      payload: sql<Job['payload']>`${given.payload}::jsonb`,
      sealed_env: given.sealedEnv,
      target: given.target,
      urgent: given.urgent,
      app: given.app,
      serial_key: given.serialKey,
      dedupe_key: given.dedupeKey,
      deployment_id: given.deploymentId,
      successors: sql<Job['successors'] | null>`${given.successors}::jsonb`,
      retry_of: given.retryOf,
      max_attempts: given.maxAttempts,
      timeout_seconds: given.timeoutSeconds,
      created_at: atOrNow(given.now),
      due_at: due,
      available_at: sql<Date>`svc_place(${given.urgent}, ${due}, ${atOrNow(given.now)})`,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['license_id', 'dedupe_key'])
        .where('dedupe_key', 'is not', null)
        .where(IS_UNFINISHED)
        .doNothing(),
    )
    .returningAll()
})
type Deduped = Pick<port.NewJob, 'licenseId' | 'dedupeKey'>
const BY_DEDUPE_KEY = statement('job-by-dedupe-key', (tables, { licenseId, dedupeKey }: Deduped) =>
  tables
    .selectFrom('jobs')
    .selectAll()
    .where('license_id', '=', licenseId)
    .where('dedupe_key', '=', present(dedupeKey))
    .where(IS_UNFINISHED),
)
const CANCEL = scopedText(
  'job-cancel',
  (isOwned) => `update jobs set state = case when state = 'pending' then 'failed' else state end,
      finished_at = case when state = 'pending' then ${at('$5')} end,
      error = case when state = 'pending' then $6 end,
      cancel_reason = case when cancel_requested_at is null then $4 else cancel_reason end,
      cancel_requested_at = coalesce(cancel_requested_at, ${at('$5')})
    where ${isOwned} and id = $2 and ${UNFINISHED}
      and ($3::text is null or claimed_by = $3 or (state = 'pending' and target in ('', $3))) returning *`,
)
type Finished = Pick<port.CancelWrite, 'jobId' | 'fingerprint'>
const FINISHED = scoped('job-finished', (tables, { jobId, fingerprint }: Finished, isOwned) =>
  tables
    .selectFrom('jobs')
    .selectAll()
    .where(isOwned)
    .where('id', '=', jobId)
    .where('finished_at', 'is not', null)
    .where(({ eb, or }) =>
      or([isAbsent(fingerprint), eb('claimed_by', 'is', null), eb('claimed_by', '=', present(fingerprint))]),
    ),
)
const GET = scoped('job-get', (tables, { jobId }: { jobId: string }, isOwned) =>
  tables.selectFrom('jobs').selectAll().where(isOwned).where('id', '=', jobId),
)
// Along the index of pending jobs by license.
const PENDING = {
  name: 'job-pending',
  text: `select count(*)::float8 as count from (select from jobs
    where license_id = $1 and ${UNFINISHED} and claimed_by is null limit $2) waiting`,
}
const IS_RUN = { name: 'job-is-run', text: `select svc_is_run($1, $2, $3, ${at('$4')}) as is_run` }
type Held = Pick<Job, 'id' | 'licenseId'> & { serialKey: string }
const SERIAL_HOLDER = statement('job-serial-holder', (tables, { id, licenseId, serialKey }: Held) =>
  tables
    .selectFrom('jobs')
    .selectAll()
    .where('license_id', '=', licenseId)
    .where('serial_key', '=', serialKey)
    .where(IS_UNFINISHED)
    .where('id', '<>', id)
    .where('available_at', '<', sql<string>`'infinity'`)
    .orderBy('available_at')
    .limit(sql.lit(1)),
)
// Unfinished jobs alone are counted, by their indexes: those that have ended are all there have ever been.
const COUNTS = {
  name: 'job-counts',
  text: `select state, count(*)::float8 as count,
      coalesce(extract(epoch from ${at('$1')} - min(greatest(due_at, created_at))
        filter (where state = 'pending' and available_at <= ${at('$1')})), 0)::float8 as oldest,
      count(*) filter (where state in ('claimed', 'running') and available_at <= ${at('$1')})::float8 as expired
    from jobs where ${UNFINISHED} group by state`,
}

interface CountRow {
  readonly state: JobState
  readonly count: number
  readonly oldest: number
  readonly expired: number
}

/** The queue in SQL. */
export class SqlJobsStore implements port.JobsStore {
  readonly #session: Session
  readonly #lease: (item: LeaseItem) => Promise<port.LeaseAnswer | undefined>
  readonly #appendLogs: (item: LogItem) => Promise<port.LogOutcome | undefined>
  readonly #renew: (item: RenewItem) => Promise<readonly string[]>
  readonly #report: (item: StatusItem) => Promise<port.StatusOutcome | undefined>

  constructor(session: Session) {
    const memory = { positions: new LogPositions(), scratch: new Scratch() }
    this.#session = session
    // An empty probe is cheap. Once half of a batch finds work, the probe is skipped (3 statements a job
    // instead of 4), and batches stop going early (small claims cost PostgreSQL 1.6 times as much).
    let isBusy = false
    this.#lease = session.batched({
      run: async (items, rows) => {
        const answers = await leaseBatch(items, rows, isBusy)
        isBusy = 2 * answers.filter((answer) => answer?.job !== undefined).length >= items.length
        return answers
      },
      mayFlushEarly: () => !isBusy,
      serialKeyOf: hostOf,
    })
    this.#renew = session.batched({
      run: renewBatch,
      mayFlushEarly: () => true,
      serialKeyOf: hostOfHeartbeat,
    })
    this.#report = session.batched({
      run: report,
      serialKeyOf: (item) => jobOf(item),
    })
    this.#appendLogs = session.batched({
      run: (items, rows) => appendLogs(items, rows, memory),
      mayFlushEarly: () => true,
      serialKeyOf: (item) => jobOf(item),
    })
  }

  async enqueue(job: port.NewJob, now?: Date): Promise<{ job: Job; created: boolean }> {
    const { licenseId, dedupeKey } = job
    const successors = job.successors && JSON.stringify(job.successors)
    const inserted = { ...job, payload: JSON.stringify(job.payload), successors, now }
    for (;;) {
      const [row] = await INSERT.run(this.#session, inserted)
      if (row !== undefined) return { job: toJob(row), created: true }
      const [existing] = await BY_DEDUPE_KEY.run(this.#session, { licenseId, dedupeKey })
      if (existing !== undefined) return { job: toJob(existing), created: false }
    }
  }

  async lease(request: port.LeaseRequest, now?: Date): Promise<port.LeaseAnswer> {
    const answer = await this.#lease({ request, now })
    if (answer === undefined) throw new Problem('unauthorized')
    return answer
  }

  upcoming(queues: readonly port.WaitedQueue[], seconds: number, now?: Date) {
    return upcoming(this.#session.rows, queues, seconds, now)
  }

  report(write: port.StatusWrite, now?: Date): Promise<port.StatusOutcome | undefined> {
    return this.#report({ write, now })
  }

  appendLogs(write: port.LogWrite, now?: Date): Promise<port.LogOutcome | undefined> {
    return this.#appendLogs({ write, now })
  }

  async renew(owners: readonly port.Owner[], leaseSeconds: number, now?: Date): Promise<readonly string[]> {
    return owners.length === 0 ? [] : this.#renew({ owners, leaseSeconds, now })
  }

  async requestCancel(
    scope: Scope,
    { jobId, fingerprint, reason }: port.CancelWrite,
    now?: Date,
  ): Promise<port.CancelOutcome | undefined> {
    const [row] = await this.#session.rows<JobRow>(CANCEL(scope), [
      idOf(scope),
      jobId,
      fingerprint,
      reason,
      now,
      CANCELLED_ERROR,
    ])
    if (row !== undefined) return { job: toJob(row), effect: row.state === 'failed' ? 'ended' : 'requested' }
    const [finished] = await FINISHED.run(this.#session, scope, { jobId, fingerprint })
    return finished === undefined ? undefined : { job: toJob(finished), effect: 'none' }
  }

  supersede(write: port.SupersedeWrite, now?: Date): Promise<readonly Job[]> {
    return supersede(this.#session.rows, write, now)
  }

  preface(jobId: string, line: LogLine, now?: Date): Promise<void> {
    return preface(this.#session.rows, jobId, line, now)
  }

  sweep(now?: Date): Promise<port.SweepResult> {
    return sweep(this.#session.rows, now)
  }

  async get(scope: Scope, jobId: string): Promise<Job | undefined> {
    return (await GET.run(this.#session, scope, { jobId })).map(toJob)[0]
  }

  list(scope: Scope, filter: port.JobFilter): Promise<readonly port.ListedJob[]> {
    return list(this.#session.rows, scope, filter)
  }

  async pending(licenseId: string, most: number): Promise<number> {
    const [row] = await this.#session.rows<{ count: number }>(PENDING, [licenseId, most])
    return row?.count ?? 0
  }

  async isRun({ licenseId, kind, target }: Pick<Job, 'licenseId' | 'kind' | 'target'>, now?: Date) {
    const [row] = await this.#session.rows<{ is_run: boolean }>(IS_RUN, [licenseId, kind, target, now])
    return row?.is_run ?? true
  }

  async serialHolder(job: port.ListedJob): Promise<Job | undefined> {
    const { id, licenseId, serialKey, availableAt } = job
    if (serialKey === undefined || availableAt !== undefined) return undefined
    return (await SERIAL_HOLDER.run(this.#session, { id, licenseId, serialKey })).map(toJob)[0]
  }

  lookedTo(scope: Scope, filter: port.LookFilter, rows: number): Promise<string | undefined> {
    return lookedTo(this.#session.rows, scope, filter, rows)
  }

  lastClaim(licenseId: string): Promise<Date | undefined> {
    return lastClaim(this.#session.rows, licenseId)
  }

  logs(
    jobId: string,
    after: number,
    limit: number,
    chars = Number.POSITIVE_INFINITY,
  ): Promise<readonly StoredLine[]> {
    return readLogs(this.#session, jobId, after, new LogRoom(limit, chars))
  }

  logLengths(jobId: string): Promise<readonly port.AttemptLines[]> {
    return logLengths(this.#session, jobId)
  }

  async counts(now?: Date): Promise<port.JobCounts> {
    const rows = await this.#session.rows<CountRow>(COUNTS, [now])
    const count = (state: JobState) => rows.find((row) => row.state === state)?.count ?? 0
    return {
      byState: { pending: count('pending'), claimed: count('claimed'), running: count('running') },
      oldestClaimableSeconds: Math.max(0, ...rows.map((row) => row.oldest)),
      expiredLeases: rows.reduce((sum, row) => sum + row.expired, 0),
    }
  }
}

/** The store of the feature. */
export const stores = (session: Session): { jobs: port.JobsStore } => ({ jobs: new SqlJobsStore(session) })
