import { idOf, ofLicensesOrTenants, scoped } from '../database/scoped-statement.ts'
import type { Session, Statement } from '../database/session.ts'
import { at } from '../database/statement-time.ts'
import type { Scope } from '../scope.ts'
import { MONITOR_STATES, type Monitor, type MonitorDefinition, type MonitorState } from './monitor.ts'
import { type HistoryRow, type MonitorRow, toHistoryEntry, toMonitor } from './monitor-row-sql.ts'
import { RELEASE, SETTLE, settleParams, TAKE_DUE, TAKE_ONE } from './monitor-run-sql.ts'
import type {
  HistoryEntry,
  MonitorFilter,
  MonitorsStore,
  NewMonitor,
  Redefinition,
  Settlement,
  TakeRequest,
} from './monitors-store.ts'

const BY_NAME = `order by name collate "C", id collate "C"`
const VOID_RUN = 'lease_token = null, lease_until = null'

const DEFINED = 'host, type, mode, match, expected, interval_seconds, confirmations, resolvers'
const ADD = {
  name: 'monitor-add',
  text: `insert into monitors (id, tenant_id, license_id, name, ${DEFINED}, created_at, next_run_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10, $11, $12::jsonb, ${at('$13')}, ${at('$13')})
    on conflict (coalesce(license_id, tenant_id, ''), name) do nothing returning *`,
}
const FIND = scoped(
  'monitor-find',
  (isOwned) => `select * from monitors where ${isOwned} and (id = $2 or name = $2) ${BY_NAME}`,
  ofLicensesOrTenants(),
)
const LIST = scoped(
  'monitor-list',
  (isOwned) => `select * from monitors where ${isOwned} and ($2::text is null or tenant_id = $2)
    and ($3::text is null or license_id = $3) ${BY_NAME}`,
  ofLicensesOrTenants(),
)
const kept = (column: string): string => `${column} = case when $12::boolean then null else ${column} end`
const REDEFINE = {
  name: 'monitor-redefine',
  text: `update monitors set host = $3, type = $4, mode = $5, match = $6, expected = $7::jsonb,
      interval_seconds = $8, confirmations = $9, resolvers = $10::jsonb, revision = revision + 1,
      next_run_at = ${at('$11')}, ${VOID_RUN}, pending = null, ${kept('confirmed')}, ${kept('drifted_at')},
      ${kept('error')}, ${kept('unreachable_at')}, ${kept('last_answer_at')},
      error_streak = case when $12::boolean then 0 else error_streak end
    where id = $1 and revision = $2 returning *`,
}
const PAUSE = {
  name: 'monitor-pause',
  text: `update monitors set ${VOID_RUN},
      paused_at = case when $2::boolean then coalesce(paused_at, ${at('$3')}) end,
      next_run_at = case when $2::boolean or paused_at is null then next_run_at else ${at('$3')} end
    where id = $1 returning *`,
}
const ACCEPT = {
  name: 'monitor-accept',
  text: `update monitors set ${VOID_RUN}, expected = confirmed, pending = null, drifted_at = null,
      revision = revision + 1, next_run_at = ${at('$2')}
    where id = $1 and mode = 'baseline' and confirmed is not null returning *`,
}
const REMOVE = { name: 'monitor-remove', text: 'delete from monitors where id = $1 returning id' }
const HISTORY = {
  name: 'monitor-history',
  text: 'select * from monitor_history where monitor_id = $1 order by seq desc limit $2',
}
const COUNTS = {
  name: 'monitor-counts',
  text: `select count(*)::int as count, case when paused_at is not null then 'paused'
      when unreachable_at is not null then 'unreachable' when drifted_at is not null then 'drifted'
      when confirmed is null then 'pending' else 'ok' end as state
    from monitors group by 2`,
}

const json = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value))
const definitionParams = (given: MonitorDefinition): unknown[] => {
  const { host, type, mode, match, expected, intervalSeconds, confirmations, resolvers } = given
  return [host, type, mode, match, json(expected), intervalSeconds, confirmations, json(resolvers)]
}

/** Monitors in SQL. */
export class SqlMonitorsStore implements MonitorsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(monitor: NewMonitor, now?: Date): Promise<Monitor | undefined> {
    const { id, tenantId, licenseId, name } = monitor
    return this.#one(ADD, [id, tenantId, licenseId, name, ...definitionParams(monitor), now])
  }

  find(scope: Scope, idOrName: string): Promise<readonly Monitor[]> {
    return this.#all(FIND(scope), [idOf(scope), idOrName])
  }

  list(scope: Scope, { tenantId, licenseId }: MonitorFilter): Promise<readonly Monitor[]> {
    return this.#all(LIST(scope), [idOf(scope), tenantId, licenseId])
  }

  redefine({ id, revision, definition, startsOver }: Redefinition, now?: Date): Promise<Monitor | undefined> {
    return this.#one(REDEFINE, [id, revision, ...definitionParams(definition), now, startsOver])
  }

  setPaused(id: string, paused: boolean, now?: Date): Promise<Monitor | undefined> {
    return this.#one(PAUSE, [id, paused, now])
  }

  accept(id: string, now?: Date): Promise<Monitor | undefined> {
    return this.#one(ACCEPT, [id, now])
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#session.rows(REMOVE, [id])).length > 0
  }

  takeDue({ token, leaseSeconds, limit, id }: TakeRequest, now?: Date): Promise<readonly Monitor[]> {
    const params = [token, leaseSeconds, limit, now]
    return id === undefined ? this.#all(TAKE_DUE, params) : this.#all(TAKE_ONE, [...params, id])
  }

  settle(settlement: Settlement, now?: Date): Promise<Monitor | undefined> {
    return this.#one(SETTLE, settleParams(settlement, now))
  }

  async release(token: string): Promise<void> {
    await this.#session.rows(RELEASE, [token])
  }

  async history(id: string, limit: number): Promise<readonly HistoryEntry[]> {
    return (await this.#session.rows<HistoryRow>(HISTORY, [id, limit])).map(toHistoryEntry)
  }

  async counts(): Promise<Readonly<Record<MonitorState, number>>> {
    const rows = await this.#session.rows<{ state: MonitorState; count: number }>(COUNTS, [])
    const none = Object.fromEntries(MONITOR_STATES.map((state) => [state, 0]))
    return Object.fromEntries([...Object.entries(none), ...rows.map(({ state, count }) => [state, count])])
  }

  async #all(statement: Statement, params: readonly unknown[]): Promise<readonly Monitor[]> {
    return (await this.#session.rows<MonitorRow>(statement, params)).map(toMonitor)
  }

  async #one(statement: Statement, params: readonly unknown[]): Promise<Monitor | undefined> {
    return (await this.#all(statement, params))[0]
  }
}

/** The store of the feature. */
export const stores = (session: Session): { monitors: MonitorsStore } => ({
  monitors: new SqlMonitorsStore(session),
})
