import type { Scope } from '../../kernel/scope.ts'
import type { Session } from '../../platform/database/session.ts'
import { MONITOR_STATES, type Monitor, type MonitorState } from './monitor.ts'
import { RELEASE, SETTLE, settleParams, TAKE_DUE, TAKE_ONE } from './monitor-run-sql.ts'
import * as sql from './monitor-statements-sql.ts'
import { toHistoryEntry, toMonitor } from './monitor-tables-sql.ts'
import type {
  HistoryEntry,
  MonitorFilter,
  MonitorsStore,
  NewMonitor,
  Redefinition,
  Settlement,
  TakeRequest,
} from './monitors-store.ts'

export { entities } from './monitor-tables-sql.ts'

const first = (rows: readonly object[]): Monitor | undefined => rows.map(toMonitor)[0]

/** Monitors in SQL. */
export class SqlMonitorsStore implements MonitorsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(monitor: NewMonitor, now?: Date): Promise<Monitor | undefined> {
    return first(await sql.ADD.run(this.#session, { ...monitor, ...sql.written(monitor), now }))
  }

  async find(scope: Scope, idOrName: string): Promise<readonly Monitor[]> {
    return (await sql.FIND.run(this.#session, scope, { idOrName })).map(toMonitor)
  }

  async list(scope: Scope, { tenantId, licenseId }: MonitorFilter): Promise<readonly Monitor[]> {
    return (await sql.LIST.run(this.#session, scope, { tenantId, licenseId })).map(toMonitor)
  }

  async redefine(change: Redefinition, now?: Date): Promise<Monitor | undefined> {
    const { definition, ...of } = change
    return first(await sql.REDEFINE.run(this.#session, { ...sql.written(definition), ...of, now }))
  }

  async setPaused(id: string, paused: boolean, now?: Date): Promise<Monitor | undefined> {
    return first(await sql.SET_PAUSED.run(this.#session, { id, paused, now }))
  }

  async accept(id: string, now?: Date): Promise<Monitor | undefined> {
    return first(await sql.ACCEPT.run(this.#session, { id, now }))
  }

  async remove(id: string): Promise<boolean> {
    return (await sql.REMOVE.run(this.#session, { id })).length > 0
  }

  async takeDue({ token, leaseSeconds, limit, id }: TakeRequest, now?: Date): Promise<readonly Monitor[]> {
    const params = [token, leaseSeconds, limit, now]
    const rows =
      id === undefined
        ? this.#session.rows<object>(TAKE_DUE, params)
        : this.#session.rows<object>(TAKE_ONE, [...params, id])
    return (await rows).map(toMonitor)
  }

  async settle(settlement: Settlement, now?: Date): Promise<Monitor | undefined> {
    return first(await this.#session.rows<object>(SETTLE, settleParams(settlement, now)))
  }

  async release(token: string): Promise<void> {
    await this.#session.rows(RELEASE, [token])
  }

  async history(id: string, limit: number): Promise<readonly HistoryEntry[]> {
    return (await sql.HISTORY.run(this.#session, { id, limit })).map(toHistoryEntry)
  }

  async counts(): Promise<Readonly<Record<MonitorState, number>>> {
    const rows = await sql.COUNTS.run(this.#session, {})
    const none = Object.fromEntries(MONITOR_STATES.map((state) => [state, 0]))
    const found = rows.map(({ state, count }) => [state, Number(count)])
    return Object.fromEntries([...Object.entries(none), ...found])
  }
}

/** The store of the feature. */
export const stores = (session: Session): { monitors: MonitorsStore } => ({
  monitors: new SqlMonitorsStore(session),
})
