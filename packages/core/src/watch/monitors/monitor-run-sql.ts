import { at } from '../../platform/database/statement-time.ts'
import type { Settlement } from './monitors-store.ts'
import { HISTORY_ENTRIES } from './monitors-store.ts'

// Each monitor has its own row lock, so overlapping calls take different monitors. The subquery is in
// `array(…)`, so that it runs only once.
const take = (chosen: string): string => `with taken as (update monitors set lease_token = $1,
      lease_until = ${at('$4')} + make_interval(secs => $2)
    where id = any(array(select d.id from monitors d where d.paused_at is null and ${chosen}
      and (d.lease_until is null or d.lease_until <= ${at('$4')})
      order by d.next_run_at, d.id collate "C" limit $3 for update skip locked))
    returning *)
  select * from taken order by next_run_at, id collate "C"`

/** Takes due monitors: `$1` token, `$2` lease seconds, `$3` limit, `$4` now. */
export const TAKE_DUE = { name: 'monitor-take-due', text: take(`d.next_run_at <= ${at('$4')}`) }
/** Takes one monitor, due or not: parameters as above, and `$5` its id. */
export const TAKE_ONE = { name: 'monitor-take-one', text: take('d.id = $5') }

/** Ends the leases that are still held under a token. */
export const RELEASE = {
  name: 'monitor-release',
  text: 'update monitors set lease_token = null, lease_until = null where lease_token = $1',
}

/**
 * Ends a run and adds it to the history, in one statement: a run that lost its lease writes nothing. The row
 * lock of the monitor serializes two ends of its runs.
 */
export const SETTLE = {
  name: 'monitor-settle',
  text: `with settled as (
      update monitors set lease_token = null, lease_until = null, last_run_at = ${at('$3')},
        last_answer_at = case when $7::text is null then ${at('$3')} else last_answer_at end,
        next_run_at = ${at('$3')} + make_interval(secs => $4), expected = $8::jsonb, confirmed = $9::jsonb,
        pending = $10::jsonb, error_streak = $12::int, error = $7::text,
        drifted_at = case when $11::boolean then coalesce(drifted_at, ${at('$3')}) end,
        unreachable_at = case when $13::boolean then coalesce(unreachable_at, ${at('$3')}) end
      where id = $1 and lease_token = $2 returning *
    ), prior as (
      select h.seq, h.outcome = $5 and h.answer is not distinct from $6::jsonb
        and h.error is not distinct from $7::text as alike
      from monitor_history h where h.monitor_id = $1 order by h.seq desc limit 1
    ), longer as (
      update monitor_history h set runs = h.runs + 1, last_at = ${at('$3')}
      from prior, settled where h.monitor_id = settled.id and h.seq = prior.seq and prior.alike
    ), added as (
      insert into monitor_history (monitor_id, seq, outcome, answer, error, runs, first_at, last_at)
      select id, coalesce((select seq from prior), 0) + 1, $5, $6::jsonb, $7::text, 1, ${at('$3')}, ${at('$3')}
      from settled where not coalesce((select alike from prior), false) returning seq
    ), trimmed as (
      delete from monitor_history h using added
      where h.monitor_id = $1 and h.seq <= added.seq - ${HISTORY_ENTRIES})
    select * from settled`,
}

const json = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value))

/** Returns the parameters of `SETTLE`. */
export function settleParams({ id, token, delaySeconds, judgement }: Settlement, now?: Date): unknown[] {
  const { outcome, observation, after } = judgement
  const { expected, confirmed, pending, drifted, errorStreak, unreachable } = after
  const kept = [json(expected), json(confirmed), json(pending), drifted, errorStreak, unreachable]
  return [id, token, now, delaySeconds, outcome, json(observation.answer), observation.error, ...kept]
}
