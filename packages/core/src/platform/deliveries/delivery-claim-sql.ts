import { at } from '../database/statement-time.ts'
import { PROBE_SECONDS } from './breaker.ts'

const NOW = at('$4')
const isDue = (row: string) => `${row}.state = 'due' and ${row}.due_at <= ${NOW}
  and (${row}.lease_until is null or ${row}.lease_until <= ${NOW})
  and ${row}.attempts < coalesce(${row}.max_attempts, $10) and (${row}.expires_at is null or ${row}.expires_at > ${NOW})`
const isWanted = (recipient: string) => `($9::text[] is null or ${recipient} = any($9::text[]))`
// A delivery of a sequence waits for the first attempt of each earlier one.
const IN_TURN = `(d.sequence is null or not exists (select from deliveries o where o.kind = $5 and o.recipient = d.recipient
  and o.sequence = d.sequence and o.state = 'due' and (o.created_at, o.id) < (d.created_at, d.id)
  and (o.attempts = 0 or o.lease_until > ${NOW})))`

/** The next due deliveries of one receiver, locked. */
const head = (recipient: string, limit: string) => `lateral (select d.id from deliveries d
  where d.kind = $5 and d.recipient collate "C" = ${recipient} and not d.forced and ${isDue('d')} and ${IN_TURN}
  order by d.due_at, d.id limit ${limit} for update skip locked) d`

/**
 * Receivers with waiting deliveries, in the order of their bytes: each step is one look into the index, so
 * that the number of deliveries of a receiver costs nothing.
 */
const receivers = (name: string, from: string, within: string) => `${name}(recipient) as (
    (select d.recipient collate "C" from deliveries d where d.kind = $5 and d.state = 'due' and not d.forced and ${from} ${within}
      order by d.recipient collate "C" limit 1)
    union all
    select n.recipient from ${name} a cross join lateral (select d.recipient collate "C" as recipient from deliveries d
      where d.kind = $5 and d.state = 'due' and not d.forced and d.recipient collate "C" > a.recipient ${within}
      order by d.recipient collate "C" limit 1) n)`

/**
 * Takes due deliveries. In this order: those that are forced, one of each receiver whose breaker is to be
 * probed, and the shares of the others, from the receiver `$8` on and round. All of it is read only as far as
 * the limit `$3` needs.
 */
export const TAKE_DUE = {
  name: 'delivery-take-due',
  text: `with recursive
    forced as (select d.id from deliveries d where d.kind = $5 and d.forced and ${isDue('d')} and ${isWanted('d.recipient')}
      order by d.due_at, d.id limit $3 for update skip locked),
    probed as (
      update delivery_recipients r set breaker = 'half_open', probe_until = ${NOW} + make_interval(secs => ${PROBE_SECONDS})
      from (select b.recipient from delivery_recipients b where b.kind = $5 and b.breaker <> 'closed' and b.paused is null
          and coalesce(b.probe_until, b.open_until) <= ${NOW} and ${isWanted('b.recipient')}
          and exists (select from deliveries d where d.kind = $5 and d.recipient collate "C" = b.recipient and not d.forced
            and ${isDue('d')})
        order by b.recipient limit $3 for update of b skip locked) w
      where r.kind = $5 and r.recipient = w.recipient returning r.recipient),
    ${receivers('ahead', `d.recipient collate "C" >= $8`, '')},
    ${receivers('behind', `d.recipient collate "C" < $8`, `and d.recipient collate "C" < $8`)},
    picked as (
      select id from forced
      union all
      select d.id from probed p cross join ${head('p.recipient', '1')}
      union all
      select d.id from (select recipient from ahead union all select recipient from behind) q
        left join lateral (select r.breaker, r.paused from delivery_recipients r
          where r.kind = $5 and r.recipient = q.recipient limit 1) r on true
        cross join ${head('q.recipient', `coalesce(($7::jsonb ->> q.recipient)::int, $6)`)}
      where coalesce(r.breaker, 'closed') = 'closed' and r.paused is null and ${isWanted('q.recipient')}
      limit $3),
    taken as (
      update deliveries d set lease_token = $1, attempts = d.attempts + 1,
        lease_until = ${NOW} + make_interval(secs => $2),
        spent_at = case when d.attempts + 1 >= coalesce(d.max_attempts, $10) then ${NOW} + make_interval(secs => $2) end
      from picked p where d.id = p.id returning d.*)
    select * from taken order by due_at, id`,
}

/** Ends deliveries that waited too long, or whose last holder died. */
export const EXPIRE = {
  name: 'delivery-expire',
  text: `with over as (select id from deliveries where kind = $1 and state = 'due'
        and coalesce(spent_at, expires_at) <= ${at('$2')} and (lease_until is null or lease_until <= ${at('$2')})
        order by coalesce(spent_at, expires_at) limit 1000 for update skip locked),
      gone as (update deliveries d set state = case when d.spent_at is null then 'expired' else 'failed' end,
        error = case when d.spent_at is null then d.error else 'lost' end, settled_at = ${at('$2')},
        lease_token = null, lease_until = null, spent_at = null
      from over where d.id = over.id returning 1)
    select count(*)::int as ended from gone`,
}

/** Deliveries that are due and not under way, by whether their receiver is served. */
export const COUNTS = {
  name: 'delivery-counts',
  text: `select (count(*) filter (where coalesce(r.breaker, 'closed') = 'closed'))::int as remaining,
      (count(*) filter (where r.breaker <> 'closed'))::int as held
    from deliveries d left join delivery_recipients r on r.kind = d.kind and r.recipient = d.recipient
    where d.kind = $1 and d.state = 'due' and d.due_at <= ${at('$3')} and r.paused is null
      and (d.lease_until is null or d.lease_until <= ${at('$3')})
      and (d.expires_at is null or d.expires_at > ${at('$3')})
      and ($2::text[] is null or d.recipient = any($2::text[]))`,
}
