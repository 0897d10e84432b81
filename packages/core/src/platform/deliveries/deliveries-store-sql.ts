import { sql } from 'kysely'
import type { Session } from '../database/session.ts'
import { at } from '../database/statement-time.ts'
import { NEW_RECIPIENT, type RecipientState } from './breaker.ts'
import type * as port from './deliveries-store.ts'
import type { Delivery, DeliveryReport, DeliveryTarget, NewDelivery } from './delivery.ts'
import { COUNTS, EXPIRE, TAKE_DUE } from './delivery-claim-sql.ts'
import { SETTLE } from './delivery-settle-sql.ts'
import { statement, toDelivery, toRecipient, toReport } from './delivery-tables-sql.ts'

export { entities } from './delivery-tables-sql.ts'

const ADD = {
  name: 'delivery-add',
  text: `insert into deliveries (id, kind, recipient, payload, state, created_at, due_at, max_attempts, expires_at, sequence,
      forced)
    values ($1, $2, $3, $5, 'due', ${at('$4')}, ${at('$4')} + make_interval(secs => $6), $7,
      ${at('$4')} + make_interval(secs => $8::float8), $9, $10)`,
}
const LATEST = statement('delivery-latest', (tables, { kind, recipient }: DeliveryTarget) =>
  tables
    .selectFrom('deliveries')
    .selectAll()
    .where('kind', '=', kind)
    .where('recipient', '=', recipient)
    .orderBy('created_at', 'desc')
    .orderBy(sql`id collate "C"`, 'desc')
    .limit(1),
)
const RECIPIENT = statement('delivery-recipient', (tables, { kind, recipient }: DeliveryTarget) =>
  tables
    .selectFrom('delivery_recipients')
    .selectAll()
    .where('kind', '=', kind)
    .where('recipient', '=', recipient),
)
const PURGE = {
  name: 'delivery-purge',
  text: `with rested as (delete from delivery_recipients where kind = $1 and breaker = 'closed' and paused is null
        and failing_since is null and coalesce(last_success_at, last_failure_at) < ${at('$4')} - make_interval(days => $2)
        returning 1),
      old as (select id from deliveries where kind = $1 and state <> 'due'
        and settled_at < ${at('$4')} - make_interval(days => $2) order by settled_at limit $3 for update skip locked),
      gone as (delete from deliveries d using old where d.id = old.id returning 1)
    select count(*)::int as purged from gone`,
}

// The first text after a receiver, in the order of bytes: no receiver's name has control characters.
const from = (after: string | undefined) => (after === undefined ? '' : `${after}\u0001`)

/** The outbox in SQL. */
export class SqlDeliveriesStore implements port.DeliveriesStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(delivery: NewDelivery, now?: Date): Promise<void> {
    const { id, kind, recipient, payload, delaySeconds = 0, maxAttempts, expiresSeconds } = delivery
    const { sequence, isForced = false } = delivery
    const params = [
      id,
      kind,
      recipient,
      now,
      payload,
      delaySeconds,
      maxAttempts,
      expiresSeconds,
      sequence,
      isForced,
    ]
    await this.#session.rows(ADD, params)
  }

  async takeDue(request: port.TakeDueRequest, now?: Date): Promise<readonly Delivery[]> {
    const { kind, token, leaseSeconds, limit, perRecipient, shares = {}, after, only, maxAttempts } = request
    const lease = [token, leaseSeconds, limit, now, kind, perRecipient]
    const which = [JSON.stringify(shares), from(after), only, maxAttempts]
    return (await this.#session.rows<object>(TAKE_DUE, [...lease, ...which])).map(toDelivery)
  }

  async settle(settlement: port.DeliverySettlement, now?: Date): Promise<boolean> {
    const {
      id,
      token,
      state,
      delaySeconds,
      status,
      error,
      isUncounted = false,
      verdict,
      attempt,
    } = settlement
    const { failures, cooldownSeconds, cooldownMaxSeconds } = verdict?.policy ?? {}
    const result = [id, token, state, delaySeconds, status, error, now, isUncounted ? 1 : 0]
    const way = [verdict?.delivered, failures, cooldownSeconds, cooldownMaxSeconds, verdict?.spread]
    const kept = [attempt?.durationMs, attempt?.response]
    return (await this.#session.rows(SETTLE, [...result, ...way, ...kept])).length > 0
  }

  async expire(kind: string, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ ended: number }>(EXPIRE, [kind, now])
    return row?.ended ?? 0
  }

  async latest(target: DeliveryTarget): Promise<DeliveryReport | undefined> {
    return (await LATEST.run(this.#session, target)).map(toReport)[0]
  }

  async recipient(target: DeliveryTarget): Promise<RecipientState> {
    return (await RECIPIENT.run(this.#session, target)).map(toRecipient)[0] ?? NEW_RECIPIENT
  }

  async counts(kind: string, only: readonly string[] | undefined, now?: Date): Promise<port.DueCounts> {
    const [row] = await this.#session.rows<port.DueCounts>(COUNTS, [kind, only, now])
    return { remaining: row?.remaining ?? 0, held: row?.held ?? 0 }
  }

  async purge(
    kind: string,
    { keepDays, limit }: { readonly keepDays: number; readonly limit: number },
    now?: Date,
  ): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(PURGE, [kind, keepDays, limit, now])
    return row?.purged ?? 0
  }
}

/** The store of the feature. */
export const stores = (session: Session): { deliveries: port.DeliveriesStore } => ({
  deliveries: new SqlDeliveriesStore(session),
})
