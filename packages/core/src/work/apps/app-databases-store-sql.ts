import { sql } from 'kysely'
import type { Session } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { type AppDatabase, appDatabaseId, type NewAppDatabase } from './app-database.ts'
import type { AppDatabasesStore } from './app-databases-store.ts'
import { databaseStatement, toAppDatabase } from './app-tables-sql.ts'

const FIND = databaseStatement('app-database-find', (tables, { id }: { id: string }) =>
  tables
    .selectFrom('app_databases as d')
    .innerJoin('jobs as j', 'j.id', 'd.job_id')
    .selectAll('d')
    .select(['j.state as job_state', 'j.error as job_error', 'j.target as job_target'])
    .where('d.id', '=', id),
)
const LIST = databaseStatement('app-database-list', (tables, { licenseId }: { licenseId: string }) =>
  tables
    .selectFrom('app_databases as d')
    .innerJoin('jobs as j', 'j.id', 'd.job_id')
    .selectAll('d')
    .select(['j.state as job_state', 'j.error as job_error', 'j.target as job_target'])
    .where('d.license_id', '=', licenseId)
    .orderBy(sql`d.name collate "C"`),
)
const PUT = {
  name: 'app-database-put',
  text: `insert into app_databases as d
      (id, license_id, name, engine, links, op, job_id, made_by, created_at, updated_at)
    values ($1, $2, $3, $4, $5::jsonb, $6, $7, $8, ${at('$9')}, ${at('$9')})
    on conflict (id) do update set engine = excluded.engine, links = excluded.links, op = excluded.op,
      job_id = excluded.job_id, made_by = excluded.made_by, updated_at = excluded.updated_at`,
}
const REMOVE = databaseStatement('app-database-remove', (tables, { id }: { id: string }) =>
  tables.deleteFrom('app_databases').where('id', '=', id).returning('id'),
)

/** Databases of hosts in SQL; the state is joined from the job. */
export class SqlAppDatabasesStore implements AppDatabasesStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async find(licenseId: string, name: string): Promise<AppDatabase | undefined> {
    return (await FIND.run(this.#session, { id: appDatabaseId(licenseId, name) })).map(toAppDatabase)[0]
  }

  async list(licenseId: string): Promise<readonly AppDatabase[]> {
    return (await LIST.run(this.#session, { licenseId })).map(toAppDatabase)
  }

  async put({ licenseId, name, ...given }: NewAppDatabase, now?: Date): Promise<void> {
    const { engine, links, op, jobId, madeBy } = given
    await this.#session.rows(PUT, [
      ...[appDatabaseId(licenseId, name), licenseId, name, engine],
      ...[JSON.stringify(links), op, jobId, madeBy, now],
    ])
  }

  async remove(licenseId: string, name: string): Promise<boolean> {
    return (await REMOVE.run(this.#session, { id: appDatabaseId(licenseId, name) })).length > 0
  }
}
