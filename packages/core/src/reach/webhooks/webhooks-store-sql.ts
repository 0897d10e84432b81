import type { Scope } from '../../kernel/scope.ts'
import { idOf } from '../../platform/database/scoped-statement.ts'
import type { Session, Statement } from '../../platform/database/session.ts'
import { NEW_RECIPIENT } from '../../platform/deliveries/breaker.ts'
import { toAttempt, toRecipient, toReport } from '../../platform/deliveries/delivery-tables-sql.ts'
import type { DisabledReason, EndpointDelivery, EndpointState, WebhookEndpoint } from './webhook-endpoint.ts'
import * as sql from './webhook-statements-sql.ts'
import { toEndpoint } from './webhook-tables-sql.ts'
import type * as port from './webhooks-store.ts'

export { entities } from './webhook-tables-sql.ts'

interface StateRow {
  readonly endpoint: object
  readonly way: object | null
  readonly pending: number
}

interface ListedRow {
  readonly type: string
  readonly leased: boolean
  readonly micros: string
}

const toState = ({ endpoint, way, pending }: StateRow): EndpointState => ({
  endpoint: toEndpoint(endpoint),
  way: way === null ? NEW_RECIPIENT : toRecipient(way),
  pending,
})

const toListed = (row: ListedRow): EndpointDelivery => ({
  ...toReport(row),
  type: row.type,
  isLeased: row.leased,
  micros: row.micros,
})

/** Endpoints and messages in SQL. */
export class SqlWebhooksStore implements port.WebhooksStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async begin(licenseId: string): Promise<void> {
    await this.#session.rows(sql.BEGIN, [licenseId])
  }

  async add(endpoint: port.NewEndpoint, most: number, now?: Date): Promise<WebhookEndpoint | 'full'> {
    const { id, licenseId, tenantId, url, description, events, secret, maxAgeSeconds } = endpoint
    const params = [id, licenseId, tenantId, url, description, events, secret, maxAgeSeconds, most, now]
    const [row] = await this.#session.rows<object>(sql.ADD, params)
    return row === undefined ? 'full' : toEndpoint(row)
  }

  async list(
    scope: Scope,
    { after, limit }: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<readonly EndpointState[]> {
    return (await this.#session.rows<StateRow>(sql.LIST(scope), [idOf(scope), after, limit])).map(toState)
  }

  async get(scope: Scope, id: string): Promise<EndpointState | undefined> {
    const [row] = await this.#session.rows<StateRow>(sql.GET(scope), [idOf(scope), id])
    return row === undefined ? undefined : toState(row)
  }

  async dead(): Promise<readonly EndpointState[]> {
    return (await this.#session.rows<StateRow>(sql.DEAD, [])).map(toState)
  }

  async change(
    id: string,
    { url, description, events }: port.EndpointChange,
    now?: Date,
  ): Promise<{ readonly conflict?: string } | undefined> {
    const params = [id, url, description, events, now]
    const [row] = await this.#session.rows<{ conflict: string | null; known: boolean }>(sql.CHANGE, params)
    if (row?.known !== true) return undefined
    return row.conflict === null ? {} : { conflict: row.conflict }
  }

  async rotate(rotation: port.SecretRotation, now?: Date): Promise<boolean> {
    return (await sql.ROTATE.run(this.#session, { ...rotation, now })).length > 0
  }

  async note(id: string, error: string | undefined): Promise<void> {
    await sql.NOTE.run(this.#session, { id, error })
  }

  async remove(id: string, now?: Date): Promise<number | undefined> {
    const [row] = await this.#session.rows<{ cancelled: number | null }>(sql.REMOVE, [id, now])
    return row?.cancelled ?? undefined
  }

  async disable(id: string, reason: DisabledReason, now?: Date): Promise<boolean> {
    return (await this.#session.rows(sql.DISABLE, [id, reason, now])).length > 0
  }

  async enable(id: string): Promise<void> {
    await sql.ENABLE.run(this.#session, { id })
  }

  async closeBreaker(id: string): Promise<void> {
    await sql.CLOSE_BREAKER.run(this.#session, { id })
  }

  async disableFailing(seconds: number, apartSeconds: number, now?: Date): Promise<readonly string[]> {
    const rows = await this.#session.rows<{ id: string }>(sql.DISABLE_FAILING, [seconds, apartSeconds, now])
    return rows.map(({ id }) => id)
  }

  async tellOthers(
    event: {
      readonly endpoint: WebhookEndpoint
      readonly type: 'webhook.endpoint_disabled'
      readonly fact: string
      readonly data: object
    },
    now?: Date,
  ): Promise<void> {
    const { endpoint, type, fact, data } = event
    const params = [endpoint.licenseId, type, fact, JSON.stringify(data), endpoint.id, now]
    await this.#session.rows(sql.TELL_OTHERS, params)
  }

  async say(message: port.NewMessage, now?: Date): Promise<void> {
    await sql.SAY.run(this.#session, { ...message, now })
  }

  async outgoing(delivery: {
    readonly recipient: string
    readonly payload: string
  }): Promise<port.OutgoingMessage | undefined> {
    const { recipient, payload } = delivery
    const [row] = await this.#session.rows<{ body: string }>(sql.OUTGOING, [recipient, payload])
    return row === undefined ? undefined : { endpoint: toEndpoint(row), body: row.body }
  }

  async deliveries(filter: port.DeliveryFilter, now?: Date): Promise<readonly EndpointDelivery[]> {
    const { endpointId, states, isLeased, after, limit } = filter
    const params = [endpointId, states, after?.micros, after?.id, limit, now, isLeased]
    return (await this.#session.rows<ListedRow>(sql.DELIVERIES, params)).map(toListed)
  }

  async delivery(endpointId: string, id: string, now?: Date) {
    type Row = ListedRow & { body: string; tries: readonly object[] }
    const [row] = await this.#session.rows<Row>(sql.DELIVERY, [endpointId, id, now])
    if (row === undefined) return undefined
    return { delivery: toListed(row), attempts: row.tries.map(toAttempt), body: row.body }
  }

  replay(write: port.ReplayWrite, now?: Date) {
    return this.#replay(sql.REPLAY, write, now)
  }

  replayable(write: port.ReplayWrite, now?: Date) {
    return this.#replay(sql.REPLAYABLE, write, now)
  }

  async #replay(statement: Statement, write: port.ReplayWrite, now?: Date) {
    const { endpointId, salt, deliveryId, since, until, states, limit } = write
    const params = [endpointId, salt, deliveryId, since, until, states, limit, now]
    const [row] = await this.#session.rows<{ queued: number; more: boolean }>(statement, params)
    return { queued: row?.queued ?? 0, truncated: row?.more ?? false }
  }

  async setMaxAge(seconds: number): Promise<void> {
    await sql.SET_MAX_AGE.run(this.#session, { seconds })
  }

  async purge(days: number, limit: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(sql.PURGE, [days, limit, now])
    return row?.purged ?? 0
  }
}

/** The store of the feature. */
export const stores = (session: Session): { webhooks: port.WebhooksStore } => ({
  webhooks: new SqlWebhooksStore(session),
})
