import { type SqlBool, sql } from 'kysely'
import type { Session, Statement } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { atOrNow, isAbsent, present, type Timed } from '../../platform/database/typed-statement.ts'
import { statement, toEvent } from './billing-tables-sql.ts'
import { factsText } from './event-facts.ts'
import type { PaymentEvent, PaymentEventState, StoredPaymentEvent } from './payment-event.ts'
import type { EventFilter, EventLease, EventSettlement, PaymentEventsStore } from './payment-events-store.ts'

type Added = Omit<PaymentEvent, 'facts'> & Pick<StoredPaymentEvent, 'state' | 'error'>

const ADD = statement(
  'payment-event-add',
  (tables, given: Added & Timed & { facts: string; delaySeconds: number }) =>
    tables
      .insertInto('payment_events')
      .values({
        id: given.id,
        type: given.type,
        created: given.created,
        livemode: given.livemode,
        object_id: given.objectId,
        payload_redacted: sql<object>`${given.facts}::jsonb`,
        state: given.state,
        error: given.error,
        attempts: 0,
        next_attempt_at: sql<Date>`case when ${given.state}::text = 'received'
          then ${atOrNow(given.now)} + make_interval(secs => ${given.delaySeconds}::int) end`,
        received_at: atOrNow(given.now),
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id'),
)
const GET = statement('payment-event-get', (tables, { id }: { id: string }) =>
  tables.selectFrom('payment_events').selectAll().where('id', '=', id),
)
const LIST = statement('payment-event-list', (tables, { states, licenseId, limit }: EventFilter) =>
  tables
    .selectFrom('payment_events')
    .selectAll()
    .where(sql<SqlBool>`(${states}::text[] is null or state = any(${states}::text[]))`)
    .where(({ eb, or }) => or([isAbsent(licenseId), eb('license_id', '=', present(licenseId))]))
    .orderBy('received_at', 'desc')
    .orderBy(sql`id collate "C"`)
    .limit(limit),
)
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
const RESOLVE = statement('payment-event-resolve', (tables, { id }: { id: string }) =>
  tables
    .updateTable('payment_events')
    .set({ state: 'ignored', next_attempt_at: null })
    .where('id', '=', id)
    .where('state', 'in', ['parked', 'failed']),
)
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

/** Events of the payment provider in SQL. */
export class SqlPaymentEventsStore implements PaymentEventsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(
    { facts, ...event }: PaymentEvent,
    settled: Parameters<PaymentEventsStore['add']>[1],
    now?: Date,
  ): Promise<boolean> {
    const added = { ...event, ...settled, facts: factsText(facts), now }
    return (await ADD.run(this.#session, added)).length > 0
  }

  async get(id: string): Promise<StoredPaymentEvent | undefined> {
    return (await GET.run(this.#session, { id })).map(toEvent)[0]
  }

  async list(filter: EventFilter): Promise<readonly StoredPaymentEvent[]> {
    return (await LIST.run(this.#session, filter)).map(toEvent)
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
    await RESOLVE.run(this.#session, { id })
    return this.get(id)
  }

  async troubles(hours: number, now?: Date): Promise<readonly StoredPaymentEvent[]> {
    return (await this.#session.rows<object>(TROUBLES, [hours, now])).map(toEvent)
  }

  async purge(days: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(PURGE, [days, now])
    return row?.purged ?? 0
  }

  async #one(statement: Statement, params: readonly unknown[]): Promise<StoredPaymentEvent | undefined> {
    return (await this.#session.rows<object>(statement, params)).map(toEvent)[0]
  }
}

/** The store of the feature. */
export const stores = (session: Session): { paymentEvents: PaymentEventsStore } => ({
  paymentEvents: new SqlPaymentEventsStore(session),
})
