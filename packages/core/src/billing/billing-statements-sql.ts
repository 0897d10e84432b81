import { at } from '../database/statement-time.ts'
import { LICENSE_COLUMNS } from '../licenses/licenses-store-sql.ts'

export const NEXT_TOKEN = {
  name: 'billing-next-token',
  text: `insert into billing_sync_tokens as t (last) values (1)
    on conflict (singleton) do update set last = t.last + 1 returning last`,
}
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
export const SUBSCRIPTIONS = {
  name: 'billing-subscriptions',
  text: 'select * from billing_subscriptions where license_id = $1 order by id collate "C"',
}
export const SUBSCRIPTION = {
  name: 'billing-subscription',
  text: 'select * from billing_subscriptions where id = $1',
}
export const CURRENT = {
  name: 'billing-current',
  text: `select * from billing_subscriptions where status is distinct from 'canceled' order by id collate "C"`,
}
const COLUMNS = `id, license_id, customer_id, price_id, tier, status, cancel_at_period_end, cancel_at,
      current_period_end, ended_at, created_at, sync_token, live_token, last_event_created, last_event_rank, parked_reason`
const REPLACED = COLUMNS.split(',')
  .map((column) => column.trim())
  .filter((column) => column !== 'id' && column !== 'license_id')
  .map((column) => `${column} = excluded.${column}`)
  .join(', ')
export const PUT = {
  name: 'billing-put',
  text: `insert into billing_subscriptions (${COLUMNS})
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
    on conflict (id) do update set ${REPLACED}
    where billing_subscriptions.sync_token < excluded.sync_token returning id`,
}
export const PARK = {
  name: 'billing-park',
  text: 'update billing_subscriptions set parked_reason = $2 where id = $1',
}
export const RESERVE = {
  name: 'billing-reserve',
  text: `insert into billing_checkouts (id, license_id, tier, price_id, request, state, expires_at, reserved_at)
    values ($1, $2, $3, $4, $5, 'creating', $6, ${at('$7')})
    on conflict (license_id) where state in ('creating', 'open') do nothing returning id`,
}
export const LIVE_CHECKOUT = {
  name: 'billing-live-checkout',
  text: `select * from billing_checkouts where license_id = $1 and state in ('creating', 'open')`,
}
export const CHECKOUT = {
  name: 'billing-checkout',
  text: 'select * from billing_checkouts where id = $1',
}
export const CHECKOUT_OF = {
  name: 'billing-checkout-of',
  text: 'select * from billing_checkouts where session_id = $1',
}
export const MOVE_CHECKOUT = {
  name: 'billing-move-checkout',
  text: `update billing_checkouts set state = $3, session_id = coalesce($4::text, session_id),
      url = coalesce($5::text, url),
      reserved_at = case when $6::int is null then reserved_at else ${at('$7')} end
    where id = $1 and state = any($2::text[])
      and ($6::int is null or reserved_at <= ${at('$7')} - make_interval(secs => $6::int))
    returning *`,
}
export const ANSWERED = {
  name: 'billing-answered',
  text: `select * from billing_answers where license_id = $1 and key = $2
    and created_at > ${at('$3')} - interval '1 day'`,
}
export const ANSWER = {
  name: 'billing-answer',
  text: `insert into billing_answers (license_id, key, body_hash, checkout_id, is_reused, created_at)
    values ($1, $2, $3, $4, $5, ${at('$6')})
    on conflict (license_id, key) do update set body_hash = excluded.body_hash, checkout_id = excluded.checkout_id,
      is_reused = excluded.is_reused, created_at = excluded.created_at`,
}
export const OPEN_DUNNING = {
  name: 'billing-open-dunning',
  text: `insert into billing_dunning (license_id, invoice_id, started_at) values ($1, $2, $3)
    on conflict do nothing returning invoice_id`,
}
export const END_DUNNING = {
  name: 'billing-end-dunning',
  text: `update billing_dunning set ended_at = ${at('$2')} where license_id = $1 and ended_at is null
    returning invoice_id`,
}
export const DUNNING = {
  name: 'billing-dunning',
  text: `select * from billing_dunning where ended_at is null
    order by started_at, license_id collate "C", invoice_id collate "C"`,
}
export const PURGE = {
  name: 'billing-purge',
  text: `with c as (delete from billing_checkouts where state not in ('creating', 'open')
        and expires_at < ${at('$2')} - make_interval(days => $1::int) returning 1),
      d as (delete from billing_dunning where ended_at < ${at('$2')} - make_interval(days => $1::int) returning 1),
      a as (delete from billing_answers where created_at <= ${at('$2')} - interval '1 day' returning 1)
    select (select count(*) from c)::int + (select count(*) from d)::int + (select count(*) from a)::int as purged`,
}
