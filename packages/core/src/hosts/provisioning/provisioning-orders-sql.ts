import { sql } from 'kysely'
import { at } from '../../platform/database/statement-time.ts'
import { atOrNow, type Timed } from '../../platform/database/typed-statement.ts'
import { type NewOrder, ORDER_EVENTS, type ReservationRequest } from './provisioning-store.ts'
import { statement } from './provisioning-tables-sql.ts'

/** A new order with its lists as JSON. */
type Written = Omit<NewOrder, 'locations' | 'sshKeys'> & Record<'locations' | 'sshKeys', string>
/** Stores an order, whose first place is its choice. */
export const ADD = statement('provisioning-add', (tables, given: Written & Timed) =>
  tables
    .insertInto('provisioning_orders')
    .values({
      id: given.id,
      license_id: given.licenseId,
      plan: given.plan,
      provider: given.provider,
      server_type: given.serverType,
      image: given.image,
      locations: sql<readonly string[]>`${given.locations}::jsonb`,
      location: sql<string>`${given.locations}::jsonb ->> 0`,
      ssh_keys: sql<readonly string[]>`${given.sshKeys}::jsonb`,
      hostname: given.hostname,
      provider_name: given.providerName,
      nonce: given.nonce,
      license_key: given.licenseKey,
      state: 'requested',
      state_since: atOrNow(given.now),
      next_run_at: atOrNow(given.now),
      created_at: atOrNow(given.now),
      updated_at: atOrNow(given.now),
    })
    .returningAll(),
)

const FREE = `o.next_run_at is not null and (o.lease_until is null or o.lease_until <= ${at('$2')})
  and o.next_run_at <= ${at('$2')} and not exists (select from provider_credentials c
    where c.provider = o.provider and c.rate_reset_at > ${at('$2')})`

/** Due orders: `$1` limit, `$2` now, `$3` the id of the only one. */
export const DUE = {
  name: 'provisioning-due',
  text: `select * from provisioning_orders o where ${FREE} and ($3::text is null or o.id = $3)
    order by o.next_run_at, o.id collate "C" limit $1`,
}

/** Claims an order: `$1` id, `$2` now, `$3` state, `$4` token, `$5` seconds of the lease. */
export const TAKE = {
  name: 'provisioning-take',
  text: `update provisioning_orders o set claim_token = $4, attempt = attempt + 1,
      lease_until = ${at('$2')} + make_interval(secs => $5)
    where o.id = $1 and o.state = $3 and ${FREE} returning o.*`,
}

const now = at('$7')
// A field that the change does not have keeps its value.
const set = (column: string, key: string, cast = ''): string =>
  `${column} = case when $5::jsonb ? '${key}' then ($5::jsonb ->> '${key}')${cast} else o.${column} end`

/** Writes an entry of the history of the orders in `moved`; the oldest entries make room. */
const history = (from: string, values: string): string => `insert into provisioning_events
    (order_id, seq, at, from_state, to_state, step, outcome, http_status, correlation_id, detail)
  select m.id, coalesce((select max(e.seq) from provisioning_events e where e.order_id = m.id), 0) + 1,
    ${values} from ${from} m returning order_id, seq`

const trim = `delete from provisioning_events e using told
  where e.order_id = told.order_id and e.seq <= told.seq - ${ORDER_EVENTS}`

/**
 * Moves an order: `$1` id, `$2` the claim or null, `$3` from, `$4` to, `$5` the change, `$6` the delay or
 * null, `$7` now, `$8` whether the reservation ends, `$9` to `$13` the entry of the history.
 */
export const MOVE = {
  name: 'provisioning-move',
  text: `with moved as (update provisioning_orders o set state = $4, claim_token = null, lease_until = null,
        state_since = case when $4 = o.state then o.state_since else ${now} end,
        attempt = case when $4 = o.state then o.attempt else 0 end,
        next_run_at = case when $6::float8 is null then null else ${now} + make_interval(secs => $6::float8) end,
        updated_at = ${now},
        creates = case when $5::jsonb ? 'creates' then greatest(o.creates - 1, 0) else o.creates end,
        ${set('create_sent_at', 'createSentAt', '::timestamptz')}, ${set('server_id', 'serverId')},
        ${set('action_id', 'actionId')}, ${set('ipv4', 'ipv4')}, ${set('ipv6', 'ipv6')},
        ${set('locations', 'locations', '::jsonb')}, ${set('location', 'location')},
        ${set('monthly_minor', 'monthlyMinor', '::bigint')},
        ${set('currency', 'currency')}, ${set('license_key', 'licenseKey')},
        ${set('error_code', 'errorCode')}, ${set('error_detail', 'errorDetail')},
        error_since = case when not $5::jsonb ? 'errorCode' then o.error_since
          when $5::jsonb ->> 'errorCode' is null then null
          when $5::jsonb ->> 'errorCode' = o.error_code then o.error_since else ${now} end
      where o.id = $1 and o.state = $3 and ($2::text is null or o.claim_token = $2) returning *
    ), freed as (update provisioning_reservations r set released_at = ${now} from moved
      where $8::boolean and r.order_id = moved.id and r.released_at is null
    ), told as (${history('moved', `${now}, $3, $4, $9, $10, $11::int, $12, $13`)}
    ), trimmed as (${trim})
    select * from moved`,
}

/** Makes an order due. */
export const HURRY = statement('provisioning-hurry', (tables, given: Timed & { id: string }) =>
  tables
    .updateTable('provisioning_orders')
    .set({ next_run_at: atOrNow(given.now), updated_at: atOrNow(given.now) })
    .where('id', '=', given.id)
    .where('next_run_at', 'is not', null)
    .returningAll(),
)

/** Locks the budget, which makes reservations and requests for servers follow each other. */
export const LOCK_BUDGET = statement('provisioning-lock-budget', (tables) =>
  tables.selectFrom('provisioning_budget').select('id').where('id', '=', 1).forUpdate(),
)

/** Locks the budget and writes its ceiling. */
export const SET_CEILING = statement(
  'provisioning-set-ceiling',
  (tables, given: Pick<ReservationRequest, 'ceilingMinor' | 'currency'>) =>
    tables
      .updateTable('provisioning_budget')
      .set({ ceiling_minor: given.ceilingMinor, currency: given.currency })
      .where('id', '=', 1),
)

/** Reserves money: `$1` order, `$2` amount, `$3` currency, `$4` ceiling, `$5` claim. Returns the outcome. */
export const RESERVE = {
  name: 'provisioning-reserve',
  text: `with held as (select id from provisioning_orders
      where id = $1 and state = 'reserving' and claim_token = $5 for update
    ), live as (select order_id, amount_minor, currency from provisioning_reservations where released_at is null
    ), verdict as (select case when not exists (select from held) then 'lost'
        when exists (select from live where order_id = $1) then 'granted'
        when exists (select from live where currency <> $3) then 'currency'
        when (select coalesce(sum(amount_minor), 0) from live) + $2::bigint > $4::bigint then 'ceiling'
        else 'new' end as outcome
    ), added as (insert into provisioning_reservations (order_id, amount_minor, currency)
      select $1, $2::bigint, $3 from verdict where outcome = 'new'
      on conflict (order_id) do nothing returning order_id)
    select case when outcome = 'new' and exists (select from added) then 'granted'
      when outcome = 'new' then 'lost' else outcome end as outcome from verdict`,
}

/**
 * Notes a request for a server: `$1` order, `$2` claim, `$3` digest, `$4` lease, `$5` and `$6` limits,
 * `$7` now.
 */
export const NOTE_CREATE = {
  name: 'provisioning-note-create',
  text: `with held as (select o.id, o.creates from provisioning_orders o
      where o.id = $1 and o.state = 'creating' and o.claim_token = $2 and exists (
        select from provisioning_reservations r where r.order_id = o.id and r.released_at is null) for update
    ), verdict as (select case when not exists (select from held) then 'lost'
        when (select creates from held) >= $5::int then 'order-full'
        when (select count(*) from provisioning_events where outcome = 'sent'
          and at > ${now} - interval '1 hour') >= $6::int then 'hour-full'
        else 'sent' end as outcome
    ), moved as (update provisioning_orders o set creates = o.creates + 1, create_sent_at = ${now},
        user_data_sha256 = $3, lease_until = ${now} + make_interval(secs => $4), updated_at = ${now}
      from verdict where o.id = $1 and verdict.outcome = 'sent' returning o.id
    ), told as (${history('moved', `${now}, 'creating', 'creating', 'create_server', 'sent', null::int, null, null`)}
    ), trimmed as (${trim})
    select outcome from verdict`,
}
