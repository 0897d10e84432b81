import { sql } from 'kysely'
import type { Scope } from '../../kernel/scope.ts'
import type { Session } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { observedScoped, toObservedApp } from './app-tables-sql.ts'
import { type AppDrift, isTroubled, type ObservedApp, type ObservedEntry } from './observed-app.ts'
import type { ObservedAppsStore } from './observed-apps-store.ts'

const OF_HOST = 'license_id = $1 and fingerprint = $2'
const NOTE = {
  name: 'observed-app-note',
  text: `with told as (select * from jsonb_to_recordset($3::jsonb)
        as t (app text, state text, detail jsonb, is_troubled boolean)),
      gone as (delete from observed_apps o using told t where ${OF_HOST}
        and o.app = t.app and t.state = 'gone')
    insert into observed_apps as o (license_id, fingerprint, app, state, detail, is_troubled, since, observed_at)
    select $1, $2, app, state, detail, is_troubled, ${at('$5')}, ${at('$5')} from told t
    where state <> 'gone' and exists (select 1 from agents where ${OF_HOST})
      and ((select count(*) from observed_apps where ${OF_HOST}) < $4
        or exists (select 1 from observed_apps x where ${OF_HOST} and x.app = t.app))
    on conflict (license_id, fingerprint, app) do update set state = excluded.state, detail = excluded.detail,
      is_troubled = excluded.is_troubled, observed_at = excluded.observed_at,
      since = case when o.state = excluded.state then o.since else excluded.since end`,
}
const LIST = observedScoped('observed-app-list', (tables, { apps }: { apps: readonly string[] }, isOwned) =>
  tables
    .selectFrom('observed_apps')
    .selectAll()
    .where(isOwned)
    .where(({ eb }) => eb('app', '=', sql<string>`any(${apps}::text[])`))
    .orderBy(sql`app collate "C"`)
    .orderBy(sql`fingerprint collate "C"`)
    .orderBy(sql`license_id collate "C"`),
)
// No license takes the places of others.
const TROUBLES = {
  name: 'observed-app-troubles',
  text: `select license_id, fingerprint, app, state, detail, since, observed_at from (
      select *, row_number() over (partition by license_id order by fingerprint collate "C", app collate "C") as place
      from observed_apps where is_troubled) ranked
    where place <= $1 order by license_id collate "C", fingerprint collate "C", app collate "C"`,
}

// The lane of an app's jobs has an index in these words.
const DRIFTS = {
  name: 'observed-app-drifts',
  text: `select license_id, fingerprint, app, state, detail, since, observed_at, expected, deployment_id from (
      select o.*, last.sha as expected, last.id as deployment_id, row_number() over
        (partition by o.license_id order by o.fingerprint collate "C", o.app collate "C") as place
      from observed_apps o cross join lateral (
        select d.id, d.source ->> 'sha' as sha from jobs j join deployments d on d.id = j.deployment_id
        where j.license_id = o.license_id and coalesce('app ' || j.app, j.kind || ' ' || j.target) = 'app ' || o.app
          and j.finished_at is not null and j.state = 'succeeded' and j.claimed_by = o.fingerprint
        order by j.finished_at desc, j.id desc limit 1) last
      where o.state <> 'stopped' and last.sha <> o.detail ->> 'sha'
        and ($2::text is null or (o.license_id = $2 and o.app = $3))
        and not exists (select 1 from jobs u
          where u.license_id = o.license_id and u.app = o.app and u.finished_at is null)) drifting
    where place <= $1 order by license_id collate "C", fingerprint collate "C", app collate "C"`,
}
interface DriftRow {
  readonly expected: string
  readonly deployment_id: string
}
const toDrift = (row: DriftRow): AppDrift => ({
  ...toObservedApp(row),
  ...{ expected: row.expected, deploymentId: row.deployment_id },
})

const rowOf = ({ app, state, ...detail }: ObservedEntry) => ({
  ...{ app, state, detail },
  is_troubled: isTroubled({ app, state, ...detail }),
})

/** States of apps in SQL. */
export class SqlObservedAppsStore implements ObservedAppsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async note(
    { licenseId, fingerprint }: Pick<ObservedApp, 'licenseId' | 'fingerprint'>,
    entries: readonly ObservedEntry[],
    max: number,
    now?: Date,
  ): Promise<void> {
    const rows = JSON.stringify(entries.map(rowOf))
    await this.#session.rows(NOTE, [licenseId, fingerprint, rows, max, now])
  }

  async list(scope: Scope, apps: readonly string[]): Promise<readonly ObservedApp[]> {
    return (await LIST.run(this.#session, scope, { apps })).map(toObservedApp)
  }

  async troubles(limit: number): Promise<readonly ObservedApp[]> {
    return (await this.#session.rows<object>(TROUBLES, [limit])).map(toObservedApp)
  }

  async drifts(limit: number, only?: Pick<ObservedApp, 'licenseId' | 'app'>): Promise<readonly AppDrift[]> {
    return (await this.#session.rows<DriftRow>(DRIFTS, [limit, only?.licenseId, only?.app])).map(toDrift)
  }
}
