import { sql } from 'kysely'
import type { Scope } from '../../kernel/scope.ts'
import type { Session } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { atOrNow } from '../../platform/database/typed-statement.ts'
import {
  type App,
  type AppSettings,
  appIdOf,
  type NewApp,
  type NewVariable,
  type Variable,
  variableId,
} from './app.ts'
import type { AppDatabasesStore } from './app-databases-store.ts'
import { SqlAppDatabasesStore } from './app-databases-store-sql.ts'
import type { AppDomainsStore } from './app-domains-store.ts'
import { SqlAppDomainsStore } from './app-domains-store-sql.ts'
import type { AppMove } from './app-move.ts'
import { scoped, statement, toApp, toVariable } from './app-tables-sql.ts'
import type { AppsStore, VariableName } from './apps-store.ts'
import type { ObservedAppsStore } from './observed-apps-store.ts'
import { SqlObservedAppsStore } from './observed-apps-store-sql.ts'

export { entities } from './app-tables-sql.ts'

type Ensured = Pick<App, 'id' | 'licenseId' | 'name'> & { readonly now: Date | undefined }
const ENSURE = statement('app-ensure', (tables, { id, licenseId, name, now }: Ensured) =>
  tables
    .insertInto('apps')
    .values({ id, license_id: licenseId, name, created_at: atOrNow(now), updated_at: atOrNow(now) })
    .onConflict((conflict) => conflict.column('id').doNothing()),
)
const ADD = {
  name: 'app-add',
  text: `insert into apps (id, license_id, name, fingerprint, more_hosts, repo_url, created_at, updated_at)
    select $1, $2, $3, $4, $8::jsonb, $5, ${at('$7')}, ${at('$7')}
    where (select count(*) from apps where license_id = $2) < $6
    on conflict (id) do nothing returning *`,
}
type Change = Omit<AppSettings, 'moreHosts'> & {
  readonly id: string
  readonly moreHosts: string
  readonly now: Date | undefined
}
const CHANGE = statement('app-change', (tables, { id, fingerprint, moreHosts, repoUrl, now }: Change) =>
  tables
    .updateTable('apps')
    .set({
      fingerprint,
      more_hosts: sql<App['moreHosts']>`${moreHosts}::jsonb`,
      repo_url: repoUrl,
      updated_at: atOrNow(now),
    })
    .where('id', '=', id)
    .returningAll(),
)
type Moved = { readonly id: string; readonly move: string | undefined; readonly now: Date | undefined }
const SET_MOVE = statement('app-move-set', (tables, { id, move, now }: Moved) =>
  tables
    .updateTable('apps')
    .set({ move: sql<AppMove | null>`${move}::jsonb`, updated_at: atOrNow(now) })
    .where('id', '=', id),
)
const REMOVE = statement('app-remove', (tables, { id }: { id: string }) =>
  tables.deleteFrom('apps').where('id', '=', id).returning('id'),
)
const GET = scoped('app-get', (tables, { id }: { id: string }, isOwned) =>
  tables.selectFrom('apps').selectAll().where(isOwned).where('id', '=', id),
)
const LOCK = statement('app-lock', (tables, { id }: { id: string }) =>
  tables.selectFrom('apps').selectAll().where('id', '=', id).forUpdate(),
)
const FIND = scoped('app-find', (tables, { idOrName }: { idOrName: string }, isOwned) =>
  tables
    .selectFrom('apps')
    .selectAll()
    .where(isOwned)
    .where(({ eb, or }) => or([eb('id', '=', idOrName), eb('name', '=', idOrName)]))
    .orderBy(sql`id collate "C"`),
)
const LIST = scoped('app-list', (tables, { limit }: { limit: number }, isOwned) =>
  tables
    .selectFrom('apps')
    .selectAll()
    .where(isOwned)
    .orderBy(sql`name collate "C"`)
    .orderBy(sql`id collate "C"`)
    .limit(limit),
)
const VARIABLES = statement('app-variables', (tables, { appId }: { appId: string }) =>
  tables.selectFrom('app_variables').selectAll().where('app_id', '=', appId).orderBy(sql`name collate "C"`),
)
const VARIABLE_NAMES = {
  name: 'app-variable-names',
  text: 'select app_id, name from app_variables where app_id = any ($1::text[])',
}
const SET_VARIABLES = {
  name: 'app-variables-set',
  text: `with revised as (update apps set env_revision = env_revision + 1, updated_at = ${at('$6')} where id = $1 returning id)
    insert into app_variables (id, app_id, name, value, secret, updated_at)
    select given.id, revised.id, given.name, given.value, given.secret, ${at('$6')}
    from revised, unnest($2::text[], $3::text[], $4::text[], $5::text[]) as given (id, name, value, secret)
    on conflict (id) do update set value = excluded.value, secret = excluded.secret, updated_at = excluded.updated_at`,
}
const UNSET_VARIABLES = {
  name: 'app-variables-unset',
  text: `with gone as (delete from app_variables where app_id = $1 and name = any ($2::text[]) returning name),
      revised as (update apps set env_revision = env_revision + 1, updated_at = ${at('$3')}
        where id = $1 and exists (select from gone))
    select name from gone order by name collate "C"`,
}

/** Apps in SQL. */
export class SqlAppsStore implements AppsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async ensure({ licenseId, name }: Pick<App, 'licenseId' | 'name'>, now?: Date): Promise<void> {
    await ENSURE.run(this.#session, { id: appIdOf(licenseId, name), licenseId, name, now })
  }

  async add({ licenseId, name, fingerprint, moreHosts, repoUrl }: NewApp, max: number, now?: Date) {
    const id = appIdOf(licenseId, name)
    const params = [id, licenseId, name, fingerprint, repoUrl, max, now, JSON.stringify(moreHosts)]
    return (await this.#session.rows<object>(ADD, params)).map(toApp)[0]
  }

  async change(id: string, settings: AppSettings, now?: Date): Promise<App | undefined> {
    return (
      await CHANGE.run(this.#session, { ...settings, moreHosts: JSON.stringify(settings.moreHosts), id, now })
    ).map(toApp)[0]
  }

  async setMove(id: string, move: AppMove | undefined, now?: Date): Promise<void> {
    await SET_MOVE.run(this.#session, { id, move: move && JSON.stringify(move), now })
  }

  async remove(id: string): Promise<boolean> {
    return (await REMOVE.run(this.#session, { id })).length > 0
  }

  async get(scope: Scope, id: string): Promise<App | undefined> {
    return (await GET.run(this.#session, scope, { id })).map(toApp)[0]
  }

  async lock(id: string): Promise<App | undefined> {
    return (await LOCK.run(this.#session, { id })).map(toApp)[0]
  }

  async find(scope: Scope, idOrName: string): Promise<readonly App[]> {
    return (await FIND.run(this.#session, scope, { idOrName })).map(toApp)
  }

  async list(scope: Scope, limit: number): Promise<readonly App[]> {
    return (await LIST.run(this.#session, scope, { limit })).map(toApp)
  }

  async variables(appId: string): Promise<readonly Variable[]> {
    return (await VARIABLES.run(this.#session, { appId })).map(toVariable)
  }

  async variableNames(appIds: readonly string[]): Promise<readonly VariableName[]> {
    type Row = { readonly app_id: string; readonly name: string }
    const rows = await this.#session.rows<Row>(VARIABLE_NAMES, [appIds])
    return rows.map((row) => ({ appId: row.app_id, name: row.name }))
  }

  async setVariables(appId: string, variables: readonly NewVariable[], now?: Date): Promise<void> {
    if (variables.length === 0) return
    await this.#session.rows(SET_VARIABLES, [
      appId,
      variables.map(({ name }) => variableId(appId, name)),
      variables.map(({ name }) => name),
      variables.map(({ value }) => value ?? null),
      variables.map(({ secret }) => secret ?? null),
      now,
    ])
  }

  async unsetVariables(appId: string, names: readonly string[], now?: Date): Promise<readonly string[]> {
    const rows = await this.#session.rows<{ name: string }>(UNSET_VARIABLES, [appId, [...names], now])
    return rows.map(({ name }) => name)
  }
}

/** The stores of the feature. */
export const stores = (
  session: Session,
): {
  apps: AppsStore
  appDatabases: AppDatabasesStore
  appDomains: AppDomainsStore
  observedApps: ObservedAppsStore
} => ({
  apps: new SqlAppsStore(session),
  appDatabases: new SqlAppDatabasesStore(session),
  appDomains: new SqlAppDomainsStore(session),
  observedApps: new SqlObservedAppsStore(session),
})
