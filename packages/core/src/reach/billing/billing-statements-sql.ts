import { type SqlBool, sql } from 'kysely'
import { LICENSE_COLUMNS } from '../../people/licenses/licenses-store-sql.ts'
import { at } from '../../platform/database/statement-time.ts'
import { atOrNow, type Timed } from '../../platform/database/typed-statement.ts'
import type { Checkout, CheckoutAnswer, Dunning } from './billing-store.ts'
import { statement } from './billing-tables-sql.ts'
import type { ParkedReason, StoredSubscription } from './subscription.ts'

export const NEXT_TOKEN = statement('billing-next-token', (tables) =>
  tables
    .insertInto('billing_sync_tokens')
    .values({ last: 1 })
    .onConflict((conflict) =>
      conflict
        .column('singleton')
        .doUpdateSet(({ eb }) => ({ last: eb('billing_sync_tokens.last', '+', 1) })),
    )
    .returning('last'),
)
export const LOCK = {
  name: 'billing-lock',
  text: `select ${LICENSE_COLUMNS} from licenses where id = $1 for update`,
}
// A status that an operator sets between the read and this write waits for the lock.
export const BILL = {
  name: 'billing-bill',
  text: `update licenses set tier = $2, status = $3, status_reason = $4, billing_state = $5, current_period_end = $6,
      expires_at = $7, provider_customer_id = case when exists (select from licenses o
        where o.provider_customer_id = $8 and o.id <> $1) then provider_customer_id else $8 end
    where id = $1 returning ${LICENSE_COLUMNS}`,
}
export const OF_CUSTOMER = {
  name: 'billing-of-customer',
  text: `select ${LICENSE_COLUMNS} from licenses where provider_customer_id = $1`,
}
export const SUBSCRIPTIONS = statement('billing-subscriptions', (tables, given: { licenseId: string }) =>
  tables
    .selectFrom('billing_subscriptions')
    .selectAll()
    .where('license_id', '=', given.licenseId)
    .orderBy(sql`id collate "C"`),
)
export const SUBSCRIPTION = statement('billing-subscription', (tables, { id }: { id: string }) =>
  tables.selectFrom('billing_subscriptions').selectAll().where('id', '=', id),
)
export const CURRENT = statement('billing-current', (tables) =>
  tables
    .selectFrom('billing_subscriptions')
    .selectAll()
    .where('status', 'is distinct from', 'canceled')
    .orderBy(sql`id collate "C"`),
)

type Put = Omit<StoredSubscription, 'lastEvent'> & {
  readonly cancelAtPeriodEnd: boolean
  readonly lastEventCreated: Date | undefined
  readonly lastEventRank: number | undefined
}
export const PUT = statement('billing-put', (tables, given: Put) => {
  const told = {
    customer_id: given.customerId,
    price_id: given.priceId,
    tier: given.tier,
    status: given.status,
    cancel_at_period_end: given.cancelAtPeriodEnd,
    cancel_at: given.cancelAt,
    current_period_end: given.currentPeriodEnd,
    ended_at: given.endedAt,
    created_at: given.createdAt,
    sync_token: given.syncToken,
    live_token: given.liveToken,
    last_event_created: given.lastEventCreated,
    last_event_rank: given.lastEventRank,
    parked_reason: given.parkedReason,
  }
  return tables
    .insertInto('billing_subscriptions')
    .values({ id: given.id, license_id: given.licenseId, ...told })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet(told)
        .whereRef('billing_subscriptions.sync_token', '<', 'excluded.sync_token'),
    )
    .returning('id')
})
export const PARK = statement(
  'billing-park',
  (tables, { id, reason }: { id: string; reason: ParkedReason | undefined }) =>
    tables.updateTable('billing_subscriptions').set({ parked_reason: reason }).where('id', '=', id),
)

// The words stand in the text, as those of the index do that knows a license's live checkout.
const isLive = sql<SqlBool>`state in ('creating', 'open')`
type Reserved = Omit<Checkout, 'sessionId' | 'url' | 'state' | 'reservedAt'>
export const RESERVE = statement('billing-reserve', (tables, given: Reserved & Timed) =>
  tables
    .insertInto('billing_checkouts')
    .values({
      id: given.id,
      license_id: given.licenseId,
      tier: given.tier,
      price_id: given.priceId,
      request: given.request,
      state: 'creating',
      expires_at: given.expiresAt,
      reserved_at: atOrNow(given.now),
    })
    .onConflict((conflict) => conflict.column('license_id').where(isLive).doNothing())
    .returning('id'),
)
export const LIVE_CHECKOUT = statement('billing-live-checkout', (tables, given: { licenseId: string }) =>
  tables.selectFrom('billing_checkouts').selectAll().where('license_id', '=', given.licenseId).where(isLive),
)
export const CHECKOUT = statement('billing-checkout', (tables, { id }: { id: string }) =>
  tables.selectFrom('billing_checkouts').selectAll().where('id', '=', id),
)
export const CHECKOUT_OF = statement('billing-checkout-of', (tables, given: { sessionId: string }) =>
  tables.selectFrom('billing_checkouts').selectAll().where('session_id', '=', given.sessionId),
)
export const MOVE_CHECKOUT = {
  name: 'billing-move-checkout',
  text: `update billing_checkouts set state = $3, session_id = coalesce($4::text, session_id),
      url = coalesce($5::text, url),
      reserved_at = case when $6::int is null then reserved_at else ${at('$7')} end
    where id = $1 and state = any($2::text[])
      and ($6::int is null or reserved_at <= ${at('$7')} - make_interval(secs => $6::int))
    returning *`,
}
export const ANSWERED = statement(
  'billing-answered',
  (tables, given: Timed & { licenseId: string; key: string }) =>
    tables
      .selectFrom('billing_answers')
      .selectAll()
      .where('license_id', '=', given.licenseId)
      .where('key', '=', given.key)
      .where('created_at', '>', sql<string>`${atOrNow(given.now)} - interval '1 day'`),
)
export const ANSWER = statement(
  'billing-answer',
  (tables, given: CheckoutAnswer & Timed & { licenseId: string }) => {
    const answer = {
      body_hash: given.bodyHash,
      checkout_id: given.checkoutId,
      is_reused: given.isReused,
      created_at: atOrNow(given.now),
    }
    return tables
      .insertInto('billing_answers')
      .values({ license_id: given.licenseId, key: given.key, ...answer })
      .onConflict((conflict) => conflict.columns(['license_id', 'key']).doUpdateSet(answer))
  },
)
export const OPEN_DUNNING = statement('billing-open-dunning', (tables, given: Omit<Dunning, 'endedAt'>) =>
  tables
    .insertInto('billing_dunning')
    .values({ license_id: given.licenseId, invoice_id: given.invoiceId, started_at: given.startedAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning('invoice_id'),
)
export const END_DUNNING = statement('billing-end-dunning', (tables, given: Timed & { licenseId: string }) =>
  tables
    .updateTable('billing_dunning')
    .set({ ended_at: atOrNow(given.now) })
    .where('license_id', '=', given.licenseId)
    .where('ended_at', 'is', null)
    .returning('invoice_id'),
)
export const DUNNING = statement('billing-dunning', (tables) =>
  tables
    .selectFrom('billing_dunning')
    .selectAll()
    .where('ended_at', 'is', null)
    .orderBy('started_at')
    .orderBy(sql`license_id collate "C"`)
    .orderBy(sql`invoice_id collate "C"`),
)
export const PURGE = {
  name: 'billing-purge',
  text: `with c as (delete from billing_checkouts where state not in ('creating', 'open')
        and expires_at < ${at('$2')} - make_interval(days => $1::int) returning 1),
      d as (delete from billing_dunning where ended_at < ${at('$2')} - make_interval(days => $1::int) returning 1),
      a as (delete from billing_answers where created_at <= ${at('$2')} - interval '1 day' returning 1)
    select (select count(*) from c)::int + (select count(*) from d)::int + (select count(*) from a)::int as purged`,
}
