import type { Session, Statement } from '../database/session.ts'
import { at } from '../database/statement-time.ts'
import { given, instant, maybeInstant } from '../database/values.ts'
import { factsOf, factsText } from './event-facts.ts'
import type { PaymentEvent, PaymentEventState, StoredPaymentEvent } from './payment-event.ts'
import type { EventFilter, EventLease, EventSettlement, PaymentEventsStore } from './payment-events-store.ts'

interface EventRow {
  readonly id: string
  readonly type: string
  readonly created: string
  readonly livemode: boolean
  readonly object_id: string
  readonly license_id: string | null
  readonly state: PaymentEventState
  readonly attempts: number
  readonly next_attempt_at: string | null
  readonly error: string | null
  readonly payload_redacted: unknown
  readonly received_at: string
}

const ADD = {
  name: 'payment-event-add',
  text: `insert into payment_events (id, type, created, livemode, object_id, payload_redacted, state, error, attempts,
      next_attempt_at, received_at)
    values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8, 0,
      case when $7 = 'received' then ${at('$10')} + make_interval(secs => $9::int) end, ${at('$10')})
    on conflict (id) do nothing returning id`,
}
const GET = { name: 'payment-event-get', text: 'select * from payment_events where id = $1' }
const LIST = {
  name: 'payment-event-list',
  text: `select * from payment_events where ($1::text[] is null or state = any($1::text[]))
      and ($2::text is null or license_id = $2)
    order by received_at desc, id collate "C" limit $3`,
}
const FREE = (now: string) => `(lease_until is null or lease_until <= ${now})`
const TAKEN = `attempts = attempts + 1, lease_token = $2, lease_until =`
const CLAIM = {
  name: 'payment-event-claim',
  text: `update payment_events set ${TAKEN} ${at('$5')} + make_interval(secs => $3::int)
    where id = $1 and state = any($4::text[]) and ${FREE(at('$5'))} returning *`,
}
const CLAIM_DUE = {
  name: 'payment-event-claim-due',
  text: `update payment_events set ${TAKEN} ${at('$3')} + make_interval(secs => $1::int)
    where id = (select id from payment_events where next_attempt_at <= ${at('$3')} and ${FREE(at('$3'))}
      order by next_attempt_at, id collate "C" limit 1 for update skip locked) returning *`,
}
const SETTLE = {
  name: 'payment-event-settle',
  text: `update payment_events set state = $3, error = $4, license_id = coalesce($5, license_id),
      next_attempt_at = ${at('$7')} + make_interval(secs => $6::int), lease_token = null, lease_until = null
    where id = $1 and lease_token = $2 returning id`,
}
const RESOLVE = {
  name: 'payment-event-resolve',
  text: `update payment_events set state = 'ignored', next_attempt_at = null
    where id = $1 and state in ('parked', 'failed')`,
}
const TROUBLES = {
  name: 'payment-event-troubles',
  text: `select * from payment_events where state = 'parked' or (state = 'failed' and next_attempt_at is null)
      or (error = 'livemode' and received_at > ${at('$2')} - make_interval(hours => $1::int))
    order by received_at desc, id collate "C" limit 100`,
}
const PURGE = {
  name: 'payment-event-purge',
  text: `with gone as (delete from payment_events where state in ('applied', 'ignored')
      and received_at < ${at('$2')} - make_interval(days => $1::int) returning 1)
    select count(*)::int as purged from gone`,
}

const toEvent = (row: EventRow): StoredPaymentEvent => ({
  id: row.id,
  type: row.type,
  created: instant(row.created),
  livemode: row.livemode,
  objectId: row.object_id,
  facts: factsOf(row.payload_redacted),
  licenseId: given(row.license_id),
  state: row.state,
  attempts: row.attempts,
  nextAttemptAt: maybeInstant(row.next_attempt_at),
  error: given(row.error),
  receivedAt: instant(row.received_at),
})

/** Events of the payment provider in SQL. */
export class SqlPaymentEventsStore implements PaymentEventsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(
    event: PaymentEvent,
    { state, error, delaySeconds }: Parameters<PaymentEventsStore['add']>[1],
    now?: Date,
  ): Promise<boolean> {
    const { id, type, created, livemode, objectId, facts } = event
    const params = [id, type, created, livemode, objectId, factsText(facts), state, error, delaySeconds, now]
    return (await this.#session.rows(ADD, params)).length > 0
  }

  get(id: string): Promise<StoredPaymentEvent | undefined> {
    return this.#one(GET, [id])
  }

  async list({ states, licenseId, limit }: EventFilter): Promise<readonly StoredPaymentEvent[]> {
    return (await this.#session.rows<EventRow>(LIST, [states, licenseId, limit])).map(toEvent)
  }

  claim(id: string, states: readonly PaymentEventState[], { token, seconds }: EventLease, now?: Date) {
    return this.#one(CLAIM, [id, token, seconds, states, now])
  }

  claimDue({ token, seconds }: EventLease, now?: Date): Promise<StoredPaymentEvent | undefined> {
    return this.#one(CLAIM_DUE, [seconds, token, now])
  }

  async settle(settlement: EventSettlement, now?: Date): Promise<boolean> {
    const { id, token, state, error, licenseId, delaySeconds } = settlement
    const params = [id, token, state, error, licenseId, delaySeconds, now]
    return (await this.#session.rows(SETTLE, params)).length > 0
  }

  async resolve(id: string): Promise<StoredPaymentEvent | undefined> {
    await this.#session.rows(RESOLVE, [id])
    return this.get(id)
  }

  async troubles(hours: number, now?: Date): Promise<readonly StoredPaymentEvent[]> {
    return (await this.#session.rows<EventRow>(TROUBLES, [hours, now])).map(toEvent)
  }

  async purge(days: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(PURGE, [days, now])
    return row?.purged ?? 0
  }

  async #one(statement: Statement, params: readonly unknown[]): Promise<StoredPaymentEvent | undefined> {
    const [row] = await this.#session.rows<EventRow>(statement, params)
    return row === undefined ? undefined : toEvent(row)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { paymentEvents: PaymentEventsStore } => ({
  paymentEvents: new SqlPaymentEventsStore(session),
})
