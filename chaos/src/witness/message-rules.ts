import type { Rule } from './rules.ts'

/** The attempts that the settings of a run allow: the first, and eleven retries. */
export const MOST_ATTEMPTS = 12
/** A message that may be sent is taken within two seconds, or when a killed replica has started. */
const PATIENCE_SECONDS = 20
/** The result of a request is written after it was answered; readings of clocks are rounded. */
const ROUNDING_MS = 500

const idOf = (fact: string) =>
  `'msg_' || substr(encode(sha256(convert_to(f.license_id || ' ' || ${fact}, 'UTF8')), 'hex'), 1, 26)`
const told = (outcomes: readonly string[]) =>
  `(select count(*) from unnest(array['${outcomes.join("', '")}']) outcome
    join webhook_messages m on m.id = ${idOf(`'job:' || f.job || ':' || outcome || ':' || f.attempt`)})`
const HAS_ENDPOINT = 'license_id in (select license_id from webhook_endpoints)'
const EARLIER = `o.recipient = d.recipient and o.sequence = d.sequence and (o.created_at, o.id) < (d.created_at, d.id)`
// The last instant that the database saw.
const END = '(select max(at) from chaos_moves)'

/** Promises about the messages to endpoints, over the outbox and the testimony of the receiver. */
export const MESSAGE_RULES: readonly Rule[] = [
  {
    rule: 'messages',
    promise: 'each hand-out and each end of a job is told once',
    sql: `select format('%s, attempt %s: told %s times as %s', job, attempt, times, what) as evidence from (
        select f.job, f.attempt, 'handed out' as what, ${told(['claimed', 'reclaimed'])} as times
          from (select license_id, job_id as job, new_attempt as attempt from chaos_moves
            where new_attempt > old_attempt and ${HAS_ENDPOINT}) f
        union all
        select f.job, f.attempt, f.state, ${told(['succeeded', 'failed', 'cancelled'])}
          from (select license_id, id as job, attempt, state from jobs
            where finished_at is not null and ${HAS_ENDPOINT}) f) t
      where times <> 1`,
  },
  {
    rule: 'messages',
    promise: 'a message has a delivery to each endpoint',
    sql: `select format('%s has none to %s', m.id, e.id) as evidence
      from webhook_messages m join webhook_endpoints e on e.license_id = m.license_id
      where not exists (select from deliveries d where d.kind = 'endpoint' and d.recipient = e.id and d.payload = m.id)`,
  },
  {
    rule: 'messages',
    promise: 'a message that counts as sent was accepted',
    sql: `select format('%s was sent at %s, and the receiver knows nothing of it', payload, settled_at) as evidence
      from deliveries where kind = 'endpoint' and state = 'sent' and payload not in (select job from chaos_acks
        where kind = 'message' and state = 'accepted')`,
  },
  {
    rule: 'messages',
    promise: 'nothing is sent again after its success is committed',
    sql: `select format('%s was sent at %s, and came again at %s', d.payload, d.settled_at, a.sent) as evidence
      from deliveries d join chaos_acks a on a.kind = 'message' and a.job = d.payload
      where d.kind = 'endpoint' and d.state = 'sent'
        and a.sent > extract(epoch from d.settled_at)::float8 * 1000 + ${ROUNDING_MS}`,
  },
  {
    rule: 'messages',
    promise: 'the messages of a job come in order, unless one is tried again',
    sql: `with first as (select job, min(sent) as sent from chaos_acks where kind = 'message' group by job)
      select format('%s came before %s, both of %s', d.payload, o.payload, d.sequence) as evidence
      from deliveries d join deliveries o on o.kind = 'endpoint' and ${EARLIER}
        join first later on later.job = d.payload left join first earlier on earlier.job = o.payload
      where d.kind = 'endpoint' and o.attempts = 1 and o.state = 'sent' and coalesce(earlier.sent > later.sent, true)`,
  },
  {
    rule: 'messages',
    promise: 'a message is given up after its last attempt alone',
    sql: `select format('%s is %s after %s attempts: %s', id, state, attempts, error) as evidence from deliveries
      where kind = 'endpoint' and state not in ('due', 'sent') and not (state = 'failed' and attempts >= ${MOST_ATTEMPTS})`,
  },
  {
    rule: 'messages',
    promise: 'no message waits that may be sent',
    sql: `select format('%s is due since %s, attempt %s, and nobody takes it', d.id, d.due_at, d.attempts) as evidence
      from deliveries d left join delivery_recipients r on r.kind = d.kind and r.recipient = d.recipient
      where d.kind = 'endpoint' and d.state = 'due' and greatest(d.due_at, d.lease_until, r.open_until, r.probe_until)
        < ${END} - interval '${PATIENCE_SECONDS} seconds' and not exists (select from deliveries o
          where o.kind = 'endpoint' and ${EARLIER} and o.state = 'due')`,
  },
]
