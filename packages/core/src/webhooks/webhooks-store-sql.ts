import { idOf } from '../database/scoped-statement.ts'
import type { Session, Statement } from '../database/session.ts'
import { given, instant, maybeInstant } from '../database/values.ts'
import { NEW_RECIPIENT } from '../deliveries/breaker.ts'
import {
  type DeliveryRow,
  type RecipientRow,
  toRecipient,
  toReport,
} from '../deliveries/deliveries-store-sql.ts'
import type { Scope } from '../scope.ts'
import type { EventType } from './event-types.ts'
import type {
  DeliveryAttempt,
  DisabledReason,
  EndpointDelivery,
  EndpointState,
  WebhookEndpoint,
} from './webhook-endpoint.ts'
import * as sql from './webhook-statements-sql.ts'
import type * as port from './webhooks-store.ts'

export { entities } from './webhook-tables-sql.ts'

interface EndpointRow {
  readonly id: string
  readonly license_id: string
  readonly tenant_id: string | null
  readonly url: string
  readonly description: string
  readonly events: readonly string[]
  readonly secret: string
  readonly old_secret: string | null
  readonly old_secret_until: string | null
  readonly last_error: string | null
  readonly created_at: string
  readonly updated_at: string
}

interface StateRow {
  readonly endpoint: EndpointRow
  readonly way: RecipientRow | null
  readonly pending: number
}

interface AttemptRow {
  readonly n: number
  readonly at: string
  readonly duration_ms: number
  readonly status: number | null
  readonly error: string | null
  readonly response: string
}

type ListedRow = DeliveryRow & { readonly type: string; readonly leased: boolean; readonly micros: string }

const toEndpoint = (row: EndpointRow): WebhookEndpoint => ({
  id: row.id,
  licenseId: row.license_id,
  tenantId: given(row.tenant_id),
  url: row.url,
  description: row.description,
  events: row.events,
  secret: row.secret,
  oldSecret: given(row.old_secret),
  oldSecretUntil: maybeInstant(row.old_secret_until),
  lastError: given(row.last_error),
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
})

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

const toAttempt = (row: AttemptRow): DeliveryAttempt => ({
  n: row.n,
  at: instant(row.at),
  durationMs: row.duration_ms,
  status: given(row.status),
  error: given(row.error),
  response: row.response,
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
    const [row] = await this.#session.rows<EndpointRow>(sql.ADD, params)
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
    const { id, from, secret, oldSecret, graceSeconds } = rotation
    return (await this.#session.rows(sql.ROTATE, [id, from, secret, oldSecret, graceSeconds, now])).length > 0
  }

  async note(id: string, error: string | undefined): Promise<void> {
    await this.#session.rows(sql.NOTE, [id, error])
  }

  async remove(id: string, now?: Date): Promise<number | undefined> {
    const [row] = await this.#session.rows<{ cancelled: number | null }>(sql.REMOVE, [id, now])
    return row?.cancelled ?? undefined
  }

  async disable(id: string, reason: DisabledReason, now?: Date): Promise<boolean> {
    return (await this.#session.rows(sql.DISABLE, [id, reason, now])).length > 0
  }

  async enable(id: string): Promise<void> {
    await this.#session.rows(sql.ENABLE, [id])
  }

  async closeBreaker(id: string): Promise<void> {
    await this.#session.rows(sql.CLOSE_BREAKER, [id])
  }

  async disableFailing(seconds: number, apartSeconds: number, now?: Date): Promise<readonly string[]> {
    const rows = await this.#session.rows<{ id: string }>(sql.DISABLE_FAILING, [seconds, apartSeconds, now])
    return rows.map(({ id }) => id)
  }

  async tellOthers(
    event: {
      readonly endpoint: WebhookEndpoint
      readonly type: EventType
      readonly fact: string
      readonly data: object
    },
    now?: Date,
  ): Promise<void> {
    const { endpoint, type, fact, data } = event
    const params = [endpoint.licenseId, type, fact, JSON.stringify(data), endpoint.id, now]
    await this.#session.rows(sql.TELL_OTHERS, params)
  }

  async say({ id, licenseId, type, body }: port.NewMessage, now?: Date): Promise<void> {
    await this.#session.rows(sql.SAY, [id, licenseId, type, body, now])
  }

  async outgoing(delivery: {
    readonly recipient: string
    readonly payload: string
  }): Promise<port.OutgoingMessage | undefined> {
    const { recipient, payload } = delivery
    const [row] = await this.#session.rows<EndpointRow & { body: string }>(sql.OUTGOING, [recipient, payload])
    return row === undefined ? undefined : { endpoint: toEndpoint(row), body: row.body }
  }

  async deliveries(filter: port.DeliveryFilter, now?: Date): Promise<readonly EndpointDelivery[]> {
    const { endpointId, states, isLeased, after, limit } = filter
    const params = [endpointId, states, after?.micros, after?.id, limit, now, isLeased]
    return (await this.#session.rows<ListedRow>(sql.DELIVERIES, params)).map(toListed)
  }

  async delivery(endpointId: string, id: string, now?: Date) {
    type Row = ListedRow & { body: string; tries: readonly AttemptRow[] }
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
    await this.#session.rows(sql.SET_MAX_AGE, [seconds])
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
