import { at } from '../database/statement-time.ts'

const NOW = at('$7')
const DELIVERED = '$9::boolean'
const FAILED = 'not $9::boolean'
const OPENS = `(${FAILED} and (r.breaker = 'half_open' or r.breaker = 'closed' and r.consecutive_failures + 1 >= $10::int))`
const CLOSES = `(${DELIVERED} and r.breaker <> 'open')`
const NEXT_OPENS = `case when r.breaker = 'half_open' then r.opens + 1 else 1 end`
// The exponent is bounded, so that no number of openings overflows.
const cooldown = (opens: string) =>
  `make_interval(secs => least($11::float8 * 2 ^ (least(${opens}, 30) - 1), $12::float8) * $13::float8)`

/**
 * Records a result, and the change of the receiver's breaker. One statement, so that a success costs one: the
 * row of the receiver is written only if something changes in it, and the instant of the last success once a
 * second.
 */
export const SETTLE = {
  name: 'delivery-settle',
  text: `with held as (
      update deliveries set state = $3, lease_token = null, lease_until = null, spent_at = null, status = $5, error = $6,
        attempts = attempts - $8::int,
        due_at = case when $3 = 'due' then ${NOW} + make_interval(secs => $4) else due_at end,
        settled_at = case when $3 <> 'due' then ${NOW} end
      where id = $1 and lease_token = $2 returning kind, recipient, attempts + $8::int as n),
    kept as (
      insert into delivery_attempts (delivery_id, n, at, duration_ms, status, error, response)
      select $1, n, ${NOW}, $14::int, $5, $6, $15::text from held where $14::int is not null
      on conflict (delivery_id, n) do update set at = excluded.at, duration_ms = excluded.duration_ms,
        status = excluded.status, error = excluded.error, response = excluded.response),
    noted as (
      insert into delivery_recipients as r (kind, recipient, breaker, consecutive_failures, opens, open_until,
        failing_since, last_success_at, last_failure_at)
      select kind, recipient, case when ${FAILED} and $10::int <= 1 then 'open' else 'closed' end,
        (${FAILED})::int, (${FAILED} and $10::int <= 1)::int,
        case when ${FAILED} and $10::int <= 1 then ${NOW} + ${cooldown('1')} end,
        case when ${FAILED} then ${NOW} end, case when ${DELIVERED} then ${NOW} end, case when ${FAILED} then ${NOW} end
      from held where ${DELIVERED} is not null
      on conflict (kind, recipient) do update set
        breaker = case when ${OPENS} then 'open' when ${CLOSES} then 'closed' else r.breaker end,
        consecutive_failures = case when ${CLOSES} then 0 when r.breaker = 'open' then r.consecutive_failures
          when ${FAILED} then r.consecutive_failures + 1 else r.consecutive_failures end,
        opens = case when ${OPENS} then ${NEXT_OPENS} when ${CLOSES} then 0 else r.opens end,
        open_until = case when ${OPENS} then ${NOW} + ${cooldown(NEXT_OPENS)} when ${CLOSES} then null
          else r.open_until end,
        probe_until = case when ${OPENS} or ${CLOSES} then null else r.probe_until end,
        failing_since = case when ${FAILED} then coalesce(r.failing_since, ${NOW}) when ${CLOSES} then null
          else r.failing_since end,
        last_success_at = case when ${DELIVERED} then ${NOW} else r.last_success_at end,
        last_failure_at = case when ${FAILED} then ${NOW} else r.last_failure_at end
      where ${FAILED} or r.consecutive_failures > 0 or r.breaker <> 'closed' or r.failing_since is not null
        or r.last_success_at is null or r.last_success_at <= ${NOW} - interval '1 second'
      returning 1)
    select 1 from held`,
}
