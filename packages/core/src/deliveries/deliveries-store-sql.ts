import { given, instant, maybeInstant, type Session } from '../database/session.ts'
import { at } from '../database/statement-time.ts'
import type * as port from './deliveries-store.ts'
import type { Delivery, DeliveryReport, DeliveryState, DeliveryTarget } from './delivery.ts'

const ADD = {
  name: 'delivery-add',
  text: `insert into deliveries (id, kind, recipient, state, created_at, due_at)
    values ($1, $2, $3, 'due', ${at('$4')}, ${at('$4')})`,
}
const TAKE_DUE = {
  name: 'delivery-take-due',
  text: `with due as (select id from deliveries where state = 'due' and kind = any($5::text[]) and due_at <= ${at('$4')}
        and (lease_until is null or lease_until <= ${at('$4')}) order by due_at, id limit $3 for update skip locked),
      taken as (update deliveries d set lease_token = $1, attempts = d.attempts + 1,
        lease_until = ${at('$4')} + make_interval(secs => $2) from due where d.id = due.id returning d.*)
    select * from taken order by due_at, id`,
}
const SETTLE = {
  name: 'delivery-settle',
  text: `update deliveries set state = $3, lease_token = null, lease_until = null, status = $5, error = $6,
      due_at = case when $3 = 'due' then ${at('$7')} + make_interval(secs => $4) else due_at end,
      settled_at = case when $3 <> 'due' then ${at('$7')} end
    where id = $1 and lease_token = $2 returning id`,
}
const LATEST = {
  name: 'delivery-latest',
  text: 'select * from deliveries where kind = $1 and recipient = $2 order by id desc limit 1',
}
const PURGE = {
  name: 'delivery-purge',
  text: `with gone as (delete from deliveries where kind = any($1::text[]) and state <> 'due'
      and created_at < ${at('$3')} - make_interval(days => $2) returning 1)
    select count(*)::int as purged from gone`,
}

interface DeliveryRow {
  readonly id: string
  readonly kind: string
  readonly recipient: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly created_at: string
  readonly due_at: string
  readonly settled_at: string | null
  readonly status: number | null
  readonly error: string | null
}

const toDelivery = ({ id, kind, recipient, attempts, created_at }: DeliveryRow): Delivery => ({
  id,
  kind,
  recipient,
  attempts,
  createdAt: instant(created_at),
})

const toReport = (row: DeliveryRow): DeliveryReport => ({
  ...toDelivery(row),
  state: row.state,
  dueAt: instant(row.due_at),
  settledAt: maybeInstant(row.settled_at),
  status: given(row.status),
  error: given(row.error),
})

/** The outbox in SQL. */
export class SqlDeliveriesStore implements port.DeliveriesStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add({ id, kind, recipient }: DeliveryTarget & { readonly id: string }, now?: Date): Promise<void> {
    await this.#session.rows(ADD, [id, kind, recipient, now])
  }

  async takeDue(request: port.TakeDueRequest, now?: Date): Promise<readonly Delivery[]> {
    const { kinds, token, leaseSeconds, limit } = request
    const rows = await this.#session.rows<DeliveryRow>(TAKE_DUE, [token, leaseSeconds, limit, now, kinds])
    return rows.map(toDelivery)
  }

  async settle(settlement: port.DeliverySettlement, now?: Date): Promise<boolean> {
    const { id, token, state, delaySeconds, status, error } = settlement
    return (await this.#session.rows(SETTLE, [id, token, state, delaySeconds, status, error, now])).length > 0
  }

  async latest({ kind, recipient }: DeliveryTarget): Promise<DeliveryReport | undefined> {
    const [row] = await this.#session.rows<DeliveryRow>(LATEST, [kind, recipient])
    return row === undefined ? undefined : toReport(row)
  }

  async purge(kinds: readonly string[], keepDays: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(PURGE, [kinds, keepDays, now])
    return row?.purged ?? 0
  }
}
