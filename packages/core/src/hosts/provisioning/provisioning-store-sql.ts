import { type SqlBool, sql } from 'kysely'
import type { Session, Statement } from '../../platform/database/session.ts'
import { isAbsent, present } from '../../platform/database/typed-statement.ts'
import type { CatalogEntry } from './catalog.ts'
import type { Order, OrderState, ProviderName } from './order.ts'
import { CredentialsSql } from './provisioning-credentials-sql.ts'
import {
  ADD,
  DUE,
  HURRY,
  LOCK_BUDGET,
  MOVE,
  NOTE_CREATE,
  RESERVE,
  SET_CEILING,
  TAKE,
} from './provisioning-orders-sql.ts'
import type {
  CreateNote,
  CreateNoteOutcome,
  NewOrder,
  OrderEvent,
  OrderFilter,
  OrderMove,
  ProvisioningStore,
  ReservationOutcome,
  ReservationRequest,
  Reserved,
} from './provisioning-store.ts'
import { statement, toCatalogEntry, toEvent, toOrder } from './provisioning-tables-sql.ts'

export { entities } from './provisioning-tables-sql.ts'

const COUNT = sql<number>`count(*)::int`.as('count')
// In these words an index has it.
const LIVE = sql<SqlBool>`state not in ('deleted', 'cancelled')`
const GET = statement('provisioning-get', (tables, { id }: { id: string }) =>
  tables.selectFrom('provisioning_orders').selectAll().where('id', '=', id),
)
const LIST = statement('provisioning-list', (tables, { licenseId, limit }: OrderFilter) =>
  tables
    .selectFrom('provisioning_orders')
    .selectAll()
    .where(({ eb, or }) => or([isAbsent(licenseId), eb('license_id', '=', present(licenseId))]))
    .orderBy(sql`id collate "C"`, 'desc')
    .limit(limit),
)
const ALL_LIVE = statement('provisioning-live', (tables) =>
  tables.selectFrom('provisioning_orders').selectAll().where(LIVE).orderBy(sql`id collate "C"`),
)
const COUNTS = statement('provisioning-counts', (tables) =>
  tables.selectFrom('provisioning_orders').select(['state', COUNT]).groupBy('state'),
)
const EVENTS = statement('provisioning-events', (tables, { id, limit }: { id: string; limit: number }) =>
  tables
    .selectFrom(
      tables
        .selectFrom('provisioning_events')
        .selectAll()
        .where('order_id', '=', id)
        .orderBy('seq', 'desc')
        .limit(limit)
        .as('newest'),
    )
    .selectAll()
    .orderBy('seq'),
)
// A failed order without a server has no step left and nothing reserved.
const OLDER = statement('provisioning-older', (tables, given: Pick<Order, 'id' | 'licenseId'>) =>
  tables
    .selectFrom('provisioning_orders')
    .select(COUNT)
    .where('license_id', '=', given.licenseId)
    .where(LIVE)
    .where(sql`id collate "C"`, '<', given.id)
    .where(sql<SqlBool>`not (state = 'failed' and server_id is null and create_sent_at is null)`),
)
const RESERVED = statement('provisioning-reserved', (tables) =>
  tables
    .selectFrom('provisioning_reservations')
    .select([
      'currency',
      sql<number>`sum(amount_minor)::float8`.as('minor'),
      sql<number>`count(*)::int`.as('orders'),
    ])
    .where('released_at', 'is', null)
    .groupBy('currency')
    .orderBy(sql`currency collate "C"`),
)
const RESERVED_ORDERS = statement('provisioning-reserved-orders', (tables) =>
  tables
    .selectFrom('provisioning_reservations')
    .select('order_id')
    .where('released_at', 'is', null)
    .orderBy(sql`order_id collate "C"`),
)
const PLANE_ID = {
  name: 'provisioning-plane-id',
  text: `with made as (insert into provisioning_budget (id, plane_id, ceiling_minor, currency)
      values (1, $1, 0, '') on conflict (id) do nothing returning plane_id)
    select plane_id from made union all select plane_id from provisioning_budget where id = 1 limit 1`,
}
const CATALOG = statement('provisioning-catalog', (tables) =>
  tables.selectFrom('provisioning_catalog').selectAll().orderBy(sql`plan collate "C", provider collate "C"`),
)
type WrittenEntry = Omit<CatalogEntry, 'locations' | 'sshKeys'> & Record<'locations' | 'sshKeys', string>
const SET_CATALOG = statement('provisioning-set-catalog', (tables, given: WrittenEntry) => {
  const entry = {
    server_type: given.serverType,
    locations: sql<readonly string[]>`${given.locations}::jsonb`,
    image: given.image,
    ssh_keys: sql<readonly string[]>`${given.sshKeys}::jsonb`,
    max_monthly_minor: given.maxMonthlyMinor,
    currency: given.currency,
    enabled: given.enabled,
  }
  return tables
    .insertInto('provisioning_catalog')
    .values({ plan: given.plan, provider: given.provider, ...entry })
    .onConflict((conflict) => conflict.columns(['plan', 'provider']).doUpdateSet(entry))
})
const REMOVE_CATALOG = statement(
  'provisioning-remove-catalog',
  (tables, { plan, provider }: Pick<CatalogEntry, 'plan' | 'provider'>) =>
    tables
      .deleteFrom('provisioning_catalog')
      .where('plan', '=', plan)
      .where('provider', '=', provider)
      .returning('plan'),
)

const listsOf = ({ locations, sshKeys }: Pick<CatalogEntry, 'locations' | 'sshKeys'>) => ({
  locations: JSON.stringify(locations),
  sshKeys: JSON.stringify(sshKeys),
})

/** Orders, reservations, catalogue and credentials in SQL. */
export class SqlProvisioningStore extends CredentialsSql implements ProvisioningStore {
  readonly #session: Session

  constructor(session: Session) {
    super(session)
    this.#session = session
  }

  async add(order: NewOrder, now?: Date): Promise<Order> {
    const [added] = await ADD.run(this.#session, { ...order, ...listsOf(order), now })
    return toOrder(added as object)
  }

  async get(id: string): Promise<Order | undefined> {
    return (await GET.run(this.#session, { id })).map(toOrder)[0]
  }

  async list(filter: OrderFilter): Promise<readonly Order[]> {
    return (await LIST.run(this.#session, filter)).map(toOrder)
  }

  async live(): Promise<readonly Order[]> {
    return (await ALL_LIVE.run(this.#session, {})).map(toOrder)
  }

  async counts(): Promise<Readonly<Partial<Record<OrderState, number>>>> {
    const rows = await COUNTS.run(this.#session, {})
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
  }

  async events(id: string, limit: number): Promise<readonly OrderEvent[]> {
    return (await EVENTS.run(this.#session, { id, limit })).map(toEvent)
  }

  async older(order: Pick<Order, 'id' | 'licenseId'>): Promise<number> {
    const [row] = await OLDER.run(this.#session, order)
    return row?.count ?? 0
  }

  due(limit: number, id?: string, now?: Date): Promise<readonly Order[]> {
    return this.#all(DUE, [limit, now, id])
  }

  take(
    { id, state, token, leaseSeconds }: Parameters<ProvisioningStore['take']>[0],
    now?: Date,
  ): Promise<Order | undefined> {
    return this.#one(TAKE, [id, now, state, token, leaseSeconds])
  }

  move(move: OrderMove, now?: Date): Promise<Order | undefined> {
    const { id, token, from, to, change, delaySeconds, releases, step, outcome } = move
    const told = [step, outcome, move.httpStatus, move.correlationId, move.detail]
    return this.#one(MOVE, [
      id,
      token,
      from,
      to,
      JSON.stringify(change),
      delaySeconds,
      now,
      releases,
      ...told,
    ])
  }

  async hurry(id: string, now?: Date): Promise<Order | undefined> {
    return (await HURRY.run(this.#session, { id, now })).map(toOrder)[0]
  }

  async reserve(request: ReservationRequest): Promise<ReservationOutcome> {
    const { orderId, token, amountMinor, currency, ceilingMinor } = request
    await SET_CEILING.run(this.#session, { ceilingMinor, currency })
    return this.#outcome(RESERVE, [orderId, amountMinor, currency, ceilingMinor, token])
  }

  async reserved(): Promise<readonly Reserved[]> {
    return RESERVED.run(this.#session, {})
  }

  async reservedOrders(): Promise<readonly string[]> {
    const rows = await RESERVED_ORDERS.run(this.#session, {})
    return rows.map(({ order_id: id }) => id)
  }

  async noteCreate(note: CreateNote, now?: Date): Promise<CreateNoteOutcome> {
    const { id, token, userDataSha256, leaseSeconds, mostCreates, mostPerHour } = note
    await LOCK_BUDGET.run(this.#session, {})
    return this.#outcome(NOTE_CREATE, [
      id,
      token,
      userDataSha256,
      leaseSeconds,
      mostCreates,
      mostPerHour,
      now,
    ])
  }

  async planeId(candidate: string): Promise<string> {
    const [row] = await this.#session.rows<{ plane_id: string }>(PLANE_ID, [candidate])
    // Another statement may have made the row while this one ran: then neither half sees it.
    return row?.plane_id ?? this.planeId(candidate)
  }

  async catalog(): Promise<readonly CatalogEntry[]> {
    return (await CATALOG.run(this.#session, {})).map(toCatalogEntry)
  }

  async setCatalog(entry: CatalogEntry): Promise<void> {
    await SET_CATALOG.run(this.#session, { ...entry, ...listsOf(entry) })
  }

  async removeCatalog(plan: string, provider: ProviderName): Promise<boolean> {
    return (await REMOVE_CATALOG.run(this.#session, { plan, provider })).length > 0
  }

  async #outcome<O>(statement: Statement, params: readonly unknown[]): Promise<O> {
    const [row] = await this.#session.rows<{ outcome: O }>(statement, params)
    return (row as { outcome: O }).outcome
  }

  async #all(statement: Statement, params: readonly unknown[]): Promise<readonly Order[]> {
    return (await this.#session.rows<object>(statement, params)).map(toOrder)
  }

  async #one(statement: Statement, params: readonly unknown[]): Promise<Order | undefined> {
    return (await this.#all(statement, params))[0]
  }
}

/** The store of the feature. */
export const stores = (session: Session): { provisioning: ProvisioningStore } => ({
  provisioning: new SqlProvisioningStore(session),
})
