import type { Session, Statement } from '../database/session.ts'
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
import {
  type CatalogRow,
  type EventRow,
  type OrderRow,
  toCatalogEntry,
  toEvent,
  toOrder,
} from './provisioning-row-sql.ts'
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

export { entities } from './provisioning-tables-sql.ts'

const LIVE = `state not in ('deleted', 'cancelled')`
const GET = { name: 'provisioning-get', text: 'select * from provisioning_orders where id = $1' }
const LIST = {
  name: 'provisioning-list',
  text: `select * from provisioning_orders where ($1::text is null or license_id = $1)
    order by id collate "C" desc limit $2`,
}
const ALL_LIVE = {
  name: 'provisioning-live',
  text: `select * from provisioning_orders where ${LIVE} order by id collate "C"`,
}
const COUNTS = {
  name: 'provisioning-counts',
  text: 'select state, count(*)::int as count from provisioning_orders group by state',
}
const EVENTS = {
  name: 'provisioning-events',
  text: `select * from (select * from provisioning_events where order_id = $1 order by seq desc limit $2) e
    order by seq`,
}
// A failed order without a server has no step left and nothing reserved.
const OLDER = {
  name: 'provisioning-older',
  text: `select count(*)::int as count from provisioning_orders where license_id = $1 and ${LIVE}
    and id collate "C" < $2 and not (state = 'failed' and server_id is null and create_sent_at is null)`,
}
const RESERVED = {
  name: 'provisioning-reserved',
  text: `select currency, sum(amount_minor)::float8 as minor, count(*)::int as orders
    from provisioning_reservations where released_at is null group by currency order by currency collate "C"`,
}
const RESERVED_ORDERS = {
  name: 'provisioning-reserved-orders',
  text: `select order_id from provisioning_reservations where released_at is null order by order_id collate "C"`,
}
const PLANE_ID = {
  name: 'provisioning-plane-id',
  text: `with made as (insert into provisioning_budget (id, plane_id, ceiling_minor, currency)
      values (1, $1, 0, '') on conflict (id) do nothing returning plane_id)
    select plane_id from made union all select plane_id from provisioning_budget where id = 1 limit 1`,
}
const CATALOG = {
  name: 'provisioning-catalog',
  text: 'select * from provisioning_catalog order by plan collate "C", provider collate "C"',
}
const SET_CATALOG = {
  name: 'provisioning-set-catalog',
  text: `insert into provisioning_catalog
      (plan, provider, server_type, locations, image, ssh_keys, max_monthly_minor, currency, enabled)
    values ($1, $2, $3, $4::jsonb, $5, $6::jsonb, $7, $8, $9)
    on conflict (plan, provider) do update set server_type = excluded.server_type,
      locations = excluded.locations, image = excluded.image, ssh_keys = excluded.ssh_keys,
      max_monthly_minor = excluded.max_monthly_minor, currency = excluded.currency, enabled = excluded.enabled`,
}
const REMOVE_CATALOG = {
  name: 'provisioning-remove-catalog',
  text: 'delete from provisioning_catalog where plan = $1 and provider = $2 returning plan',
}

/** Orders, reservations, catalogue and credentials in SQL. */
export class SqlProvisioningStore extends CredentialsSql implements ProvisioningStore {
  readonly #session: Session

  constructor(session: Session) {
    super(session)
    this.#session = session
  }

  async add(order: NewOrder, now?: Date): Promise<Order> {
    const { id, licenseId, plan, provider, serverType, image, locations, sshKeys } = order
    const lists = [JSON.stringify(locations), JSON.stringify(sshKeys)]
    const rest = [order.hostname, order.providerName, order.nonce, order.licenseKey, now]
    const params = [id, licenseId, plan, provider, serverType, image, ...lists, ...rest]
    return (await this.#one(ADD, params)) as Order
  }

  get(id: string): Promise<Order | undefined> {
    return this.#one(GET, [id])
  }

  list({ licenseId, limit }: OrderFilter): Promise<readonly Order[]> {
    return this.#all(LIST, [licenseId, limit])
  }

  live(): Promise<readonly Order[]> {
    return this.#all(ALL_LIVE, [])
  }

  async counts(): Promise<Readonly<Partial<Record<OrderState, number>>>> {
    const rows = await this.#session.rows<{ state: OrderState; count: number }>(COUNTS, [])
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
  }

  async events(id: string, limit: number): Promise<readonly OrderEvent[]> {
    return (await this.#session.rows<EventRow>(EVENTS, [id, limit])).map(toEvent)
  }

  async older({ id, licenseId }: Pick<Order, 'id' | 'licenseId'>): Promise<number> {
    const [row] = await this.#session.rows<{ count: number }>(OLDER, [licenseId, id])
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

  hurry(id: string, now?: Date): Promise<Order | undefined> {
    return this.#one(HURRY, [id, now])
  }

  async reserve(request: ReservationRequest): Promise<ReservationOutcome> {
    const { orderId, token, amountMinor, currency, ceilingMinor } = request
    await this.#session.rows(SET_CEILING, [ceilingMinor, currency])
    return this.#outcome(RESERVE, [orderId, amountMinor, currency, ceilingMinor, token])
  }

  async reserved(): Promise<readonly Reserved[]> {
    return this.#session.rows<Reserved>(RESERVED, [])
  }

  async reservedOrders(): Promise<readonly string[]> {
    const rows = await this.#session.rows<{ order_id: string }>(RESERVED_ORDERS, [])
    return rows.map(({ order_id: id }) => id)
  }

  async noteCreate(note: CreateNote, now?: Date): Promise<CreateNoteOutcome> {
    const { id, token, userDataSha256, leaseSeconds, mostCreates, mostPerHour } = note
    await this.#session.rows(LOCK_BUDGET, [])
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
    return (await this.#session.rows<CatalogRow>(CATALOG, [])).map(toCatalogEntry)
  }

  async setCatalog(entry: CatalogEntry): Promise<void> {
    const { plan, provider, serverType, locations, image, sshKeys, maxMonthlyMinor, currency, enabled } =
      entry
    const lists = [JSON.stringify(locations), image, JSON.stringify(sshKeys)]
    const params = [plan, provider, serverType, ...lists, maxMonthlyMinor, currency, enabled]
    await this.#session.rows(SET_CATALOG, params)
  }

  async removeCatalog(plan: string, provider: ProviderName): Promise<boolean> {
    return (await this.#session.rows(REMOVE_CATALOG, [plan, provider])).length > 0
  }

  async #outcome<O>(statement: Statement, params: readonly unknown[]): Promise<O> {
    const [row] = await this.#session.rows<{ outcome: O }>(statement, params)
    return (row as { outcome: O }).outcome
  }

  async #all(statement: Statement, params: readonly unknown[]): Promise<readonly Order[]> {
    return (await this.#session.rows<OrderRow>(statement, params)).map(toOrder)
  }

  async #one(statement: Statement, params: readonly unknown[]): Promise<Order | undefined> {
    return (await this.#all(statement, params))[0]
  }
}

/** The store of the feature. */
export const stores = (session: Session): { provisioning: ProvisioningStore } => ({
  provisioning: new SqlProvisioningStore(session),
})
