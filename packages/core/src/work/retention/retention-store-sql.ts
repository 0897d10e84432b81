import { sql } from 'kysely'
import { firstIdAt, instantOf } from '../../kernel/ids.ts'
import type { Session } from '../../platform/database/session.ts'
import { valuesOf } from '../../platform/database/table-sql.ts'
import { atOrNow, type Timed } from '../../platform/database/typed-statement.ts'
import { maybeInstant } from '../../platform/database/values.ts'
import { toOwnDeployment } from '../deployments/deployment-tables-sql.ts'
import { type JobRow, toJob } from '../jobs/job-row-sql.ts'
import { KEPT_DEPLOYMENTS } from './retention-days.ts'
import type {
  DroppedLogs,
  LogMonthsFault,
  PastJobs,
  RetainedJob,
  RetentionBacklog,
  RetentionPage,
  RetentionState,
  RetentionStore,
  RowCount,
} from './retention-store.ts'
import { RetentionEntity, statement } from './retention-tables-sql.ts'

export { entities } from './retention-tables-sql.ts'

const STATE = statement('retention-state', (tables, _: object) => tables.selectFrom('retention').selectAll())
const ACCEPT = statement('retention-accept', (tables, { by, now }: Timed & { by: string }) =>
  tables
    .insertInto('retention')
    .values({ id: 1, accepted_at: atOrNow(now), accepted_by: by })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ accepted_at: atOrNow(now), accepted_by: by })
        .where('retention.accepted_at', 'is', null),
    ),
)
const NOTE_LOGS = statement('retention-note-logs', (tables, { before }: { before: Date }) =>
  tables
    .insertInto('retention')
    .values({ id: 1, logs_before: sql<Date>`${before}::timestamptz` })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ logs_before: sql<Date>`greatest(retention.logs_before, ${before}::timestamptz)` }),
    ),
)
const SET_ARCHIVE = statement('retention-set-archive', (tables, { mark }: { mark: string }) =>
  tables
    .insertInto('retention')
    .values({ id: 1, archive: mark })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ archive: mark }).where('retention.archive', 'is', null),
    ),
)
const END_ARCHIVE = statement('retention-end-archive', (tables, _: object) =>
  tables.updateTable('retention').set({ archive: null }).where('archive', 'is not', null),
)
const JOBS = {
  name: 'retention-jobs',
  text: 'select * from jobs where id = any ($1::text[]) order by id',
}
const DEPLOYMENTS = {
  name: 'retention-deployments',
  text: 'select * from deployments where job_id = any ($1::text[])',
}
const toState = valuesOf(RetentionEntity, 'id')

// Pages go along the key up to the first id of the time: a job that ended before it was made before it.
const pageOf = (from: string) => `with page as materialized (${from})
    select (select max(id) from page) as last, (select count(*)::int from page) as looked,
      array(select p.id from page p where `
const NEWER = `from deployments n where n.license_id = d.license_id and n.app = d.app and n.id > d.id`
const HELD = `exists (select from deployments d where d.job_id = p.id and (
    (select count(*) from (select ${NEWER} limit ${KEPT_DEPLOYMENTS}) newer) < ${KEPT_DEPLOYMENTS}
    or (p.state = 'succeeded' and not exists (select ${NEWER}
      and exists (select from jobs s where s.id = n.job_id and s.state = 'succeeded')))))
  or exists (select from app_domains a where a.job_id = p.id)
  or exists (select from app_databases a where a.job_id = p.id)`
const PAST_JOBS = {
  name: 'retention-past-jobs',
  text: `${pageOf('select id, state, finished_at from jobs where id > $1 and id < $2 order by id limit $4')}
    p.finished_at < $3 and not (${HELD}) order by p.id) as ids`,
}
const PAST_LOGS = {
  name: 'retention-past-logs',
  text: `${pageOf('select job_id as id from job_log_chunks where job_id > $1 and job_id < $2 group by job_id order by job_id limit $4')}
    not exists (select from jobs j where j.id = p.id and (j.finished_at is null or j.finished_at >= $3))
    order by p.id) as ids`,
}
// Their logs go by a trigger.
const REMOVE_JOBS = {
  name: 'retention-remove-jobs',
  text: `with unnamed as (delete from deployments d using jobs j
      where d.job_id = any ($1::text[]) and j.id = d.job_id and j.finished_at is not null),
    gone as (delete from jobs where id = any ($1::text[]) and finished_at is not null returning id)
    select count(*)::int as count from gone`,
}
const REMOVE_LOGS = {
  name: 'retention-remove-logs',
  text: `with gone as (delete from job_log_chunks c where job_id = any ($1::text[])
      and not exists (select from jobs j where j.id = c.job_id and j.finished_at is null) returning job_id)
    select count(*)::int as count from gone`,
}
const JOBS_BEHIND = {
  name: 'retention-jobs-behind',
  text: `select count(*)::int as rows, min(finished_at) as oldest
    from (select finished_at from jobs where id < $1 and finished_at < $2 limit $3) behind`,
}
const LOGS_BEHIND = {
  name: 'retention-logs-behind',
  text: `select count(*)::int as rows, coalesce(sum(octet_length(body)), 0)::float8 as bytes
    from (select body from job_log_chunks where job_id < $1 limit $2) behind`,
}
const MAKE_MONTHS = {
  name: 'retention-make-log-months',
  text: `select svc_make_partition(month::date)
    from generate_series(date_trunc('month', now() at time zone 'UTC'), now() at time zone 'UTC' + interval '2 months',
      interval '1 month') month`,
}
const DROP_MONTH = {
  name: 'retention-drop-log-month',
  text: 'select svc_drop_partition($1::timestamptz, $2::boolean)::float8 as count',
}
const FIRST_MONTH = {
  name: 'retention-first-log-month',
  text: 'select min(low) as low from svc_log_parts()',
}
// The owner of a table may do everything with it, so its rights say nothing.
const MONTHS_FAULT = {
  name: 'retention-log-months-fault',
  text: `select case
      when exists (select from job_log_chunks where job_id >= (select max(high) from svc_log_parts())) then 'logs-ahead'
      when exists (select from svc_log_parts() p join pg_class c on c.oid = p.part,
          unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) r (right_of)
        where not pg_has_role(c.relowner, 'usage') and has_table_privilege(p.part, right_of)
          and not has_table_privilege('job_log_chunks', right_of)) then 'log-rights'
    end as fault`,
}

interface PageRow {
  readonly last: string | null
  readonly looked: number
  readonly ids: readonly string[]
}

/** The retention of jobs and logs in SQL. */
export class SqlRetentionStore implements RetentionStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async state(): Promise<RetentionState> {
    const [row] = await STATE.run(this.#session, {})
    return row === undefined ? NO_STATE : toState(row)
  }

  async accept(by: string, now?: Date): Promise<void> {
    await ACCEPT.run(this.#session, { by, now })
  }

  async noteLogs(before: Date): Promise<void> {
    await NOTE_LOGS.run(this.#session, { before })
  }

  async setArchive(mark: string | undefined): Promise<RetentionState> {
    if (mark === undefined) await END_ARCHIVE.run(this.#session, {})
    else await SET_ARCHIVE.run(this.#session, { mark })
    return this.state()
  }

  async jobs(ids: readonly string[]): Promise<readonly RetainedJob[]> {
    const jobs = await this.#session.rows<JobRow>(JOBS, [ids])
    const deployments = (await this.#session.rows<object>(DEPLOYMENTS, [ids])).map(toOwnDeployment)
    const byJob = new Map(deployments.map((each) => [each.jobId, each]))
    return jobs.map((row) => ({ job: toJob(row), deployment: byJob.get(row.id) }))
  }

  pastJobs(page: RetentionPage): Promise<PastJobs> {
    return this.#past(PAST_JOBS, page)
  }

  pastLogs(page: RetentionPage): Promise<PastJobs> {
    return this.#past(PAST_LOGS, page)
  }

  async removeJobs(ids: readonly string[]): Promise<number> {
    return countOf(await this.#session.rows<Counted>(REMOVE_JOBS, [ids]))
  }

  async removeLogs(ids: readonly string[]): Promise<number> {
    return countOf(await this.#session.rows<Counted>(REMOVE_LOGS, [ids]))
  }

  async makeLogMonths(): Promise<void> {
    await this.#session.rows(MAKE_MONTHS, [])
  }

  async dropLogMonths(before: Date, withRows: boolean): Promise<DroppedLogs> {
    let logs = 0
    for (;;) {
      const [row] = await this.#session.rows<Dropped>(DROP_MONTH, [before, withRows])
      if (typeof row?.count !== 'number') break
      logs += row.count
    }
    const [month] = await this.#session.rows<{ readonly low: string | null }>(FIRST_MONTH, [])
    return { logs, since: month?.low ? instantOf(month.low) : undefined }
  }

  async logMonthsFault(): Promise<LogMonthsFault | undefined> {
    const [row] = await this.#session.rows<{ readonly fault: LogMonthsFault | null }>(MONTHS_FAULT, [])
    return row?.fault ?? undefined
  }

  async backlog(jobsBefore: Date, logsBefore: Date, most: number): Promise<RetentionBacklog> {
    const bound = (before: Date) => firstIdAt('job', before)
    const [jobs] = await this.#session.rows<{ rows: number; oldest: string | null }>(JOBS_BEHIND, [
      bound(jobsBefore),
      jobsBefore,
      most + 1,
    ])
    const [logs] = await this.#session.rows<{ rows: number; bytes: number }>(LOGS_BEHIND, [
      bound(logsBefore),
      most + 1,
    ])
    const counted = (rows = 0): RowCount => ({ rows: Math.min(rows, most), more: rows > most })
    return {
      jobs: { ...counted(jobs?.rows), oldest: maybeInstant(jobs?.oldest ?? null) },
      logs: { ...counted(logs?.rows), bytes: logs?.bytes ?? 0 },
    }
  }

  async #past(of: typeof PAST_JOBS, { after, before, limit }: RetentionPage): Promise<PastJobs> {
    const [row] = await this.#session.rows<PageRow>(of, [after, firstIdAt('job', before), before, limit])
    const { ids = [], looked = 0, last } = row ?? {}
    return { ids, last: looked < limit ? undefined : (last ?? undefined) }
  }
}

interface Counted {
  readonly count: number
}
interface Dropped {
  readonly count: number | null
}
const countOf = ([row]: readonly Counted[]): number => row?.count ?? 0

const NO_STATE: RetentionState = {
  held: false,
  acceptedAt: undefined,
  acceptedBy: undefined,
  logsBefore: undefined,
  archive: undefined,
}

/** The store of the feature. */
export const stores = (session: Session): { retention: RetentionStore } => ({
  retention: new SqlRetentionStore(session),
})
