import { sql } from 'kysely'
import type { Session } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { type AppDomain, appDomainId, type NewAppDomain } from './app-domain.ts'
import type { AppDomainsStore } from './app-domains-store.ts'
import { domainStatement, toAppDomain } from './app-tables-sql.ts'

const FIND = domainStatement('app-domain-find', (tables, { id }: { id: string }) =>
  tables
    .selectFrom('app_domains as d')
    .innerJoin('jobs as j', 'j.id', 'd.job_id')
    .selectAll('d')
    .select(['j.state as job_state', 'j.error as job_error', 'j.target as job_target'])
    .where('d.id', '=', id),
)
const LIST = domainStatement('app-domain-list', (tables, { appId }: { appId: string }) =>
  tables
    .selectFrom('app_domains as d')
    .innerJoin('jobs as j', 'j.id', 'd.job_id')
    .selectAll('d')
    .select(['j.state as job_state', 'j.error as job_error', 'j.target as job_target'])
    .where('d.app_id', '=', appId)
    .orderBy(sql`d.domain collate "C"`),
)
const PUT = {
  name: 'app-domain-put',
  text: `insert into app_domains as d
      (id, license_id, app_id, domain, options, is_leaving, job_id, made_by, created_at, updated_at)
    values ($1, $2, $3, $4, $5::jsonb, $6, $7, $8, ${at('$9')}, ${at('$9')})
    on conflict (id) do update set options = excluded.options, is_leaving = excluded.is_leaving,
      job_id = excluded.job_id, made_by = excluded.made_by, updated_at = excluded.updated_at
    where d.app_id = excluded.app_id
    returning id`,
}
const REMOVE = domainStatement('app-domain-remove', (tables, { id }: { id: string }) =>
  tables.deleteFrom('app_domains').where('id', '=', id).returning('id'),
)

/** Domains of apps in SQL; the state is joined from the job. */
export class SqlAppDomainsStore implements AppDomainsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async find(licenseId: string, domain: string): Promise<AppDomain | undefined> {
    return (await FIND.run(this.#session, { id: appDomainId(licenseId, domain) })).map(toAppDomain)[0]
  }

  async list(appId: string): Promise<readonly AppDomain[]> {
    return (await LIST.run(this.#session, { appId })).map(toAppDomain)
  }

  async put({ licenseId, appId, domain, ...given }: NewAppDomain, now?: Date): Promise<boolean> {
    const { options, isLeaving, jobId, madeBy } = given
    const rows = await this.#session.rows(PUT, [
      ...[appDomainId(licenseId, domain), licenseId, appId, domain],
      ...[JSON.stringify(options), isLeaving, jobId, madeBy, now],
    ])
    return rows.length > 0
  }

  async remove(licenseId: string, domain: string): Promise<boolean> {
    return (await REMOVE.run(this.#session, { id: appDomainId(licenseId, domain) })).length > 0
  }
}
