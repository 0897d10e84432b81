import type { Statement } from '../../database/session.ts'
import { at } from '../../database/statement-time.ts'

const statement = (name: string, text: string): Statement => ({ name: `email-message-${name}`, text })
const RECIPIENTS = `(select jsonb_agg(jsonb_build_object('address', r.address, 'role', r.role, 'state', r.state,
    'code', r.smtp_code, 'text', r.smtp_text) order by r.position) from email_recipients r where r.message_id = m.id)`
const SHOWN = `m.*, ${RECIPIENTS} as recipients`
const day = (parameter: string) => `(${at(parameter)} at time zone 'UTC')::date`
const OPEN = `'queued', 'deferred', 'unknown'`

/** Statements of messages. */
export const MESSAGES = {
  add: statement(
    'add',
    `with made as (insert into email_messages
        (id, owner, kind, domain_id, key_id, from_address, tags, state, created_at)
        values ($1, $2, $3, $4, $5, $6, $7::jsonb, 'queued', ${at('$11')}) returning *),
      contents as (insert into email_bodies (message_id, key, contents) select id, $8, $9 from made),
      those as (insert into email_recipients (message_id, position, address, role, state)
        select made.id, r.position, r.entry ->> 'address', r.entry ->> 'role', r.entry ->> 'state'
        from made, jsonb_array_elements($10::jsonb) with ordinality as r (entry, position))
    select made.*, (select jsonb_agg(r || '{"code": null, "text": null}'::jsonb)
      from jsonb_array_elements($10::jsonb) r) as recipients from made`,
  ),
  find: statement('find', `select ${SHOWN} from email_messages m where m.id = $1`),
  list: statement(
    'list',
    `select ${SHOWN} from email_messages m where ($1::text is null or m.owner = $1)
      and ($2::text is null or m.state = $2) and ($3::text is null or m.id collate "C" < $3)
      order by m.id collate "C" desc limit $4`,
  ),
  body: statement('body', 'select key, contents as text from email_bodies where message_id = $1'),
  begin: statement(
    'begin',
    `with before as (select ${SHOWN} from email_messages m where m.id = $1 for update of m),
      made as (update email_messages m set state = 'sending', data_started_at = null from before
        where m.id = before.id and m.state in ('queued', 'sending'))
    select * from before`,
  ),
  dataStarted: statement(
    'data-started',
    `update email_messages set data_started_at = ${at('$2')} where id = $1`,
  ),
  record: statement(
    'record',
    `with those as (update email_recipients r set state = n.entry ->> 'state',
        smtp_code = (n.entry ->> 'smtpCode')::int, smtp_text = n.entry ->> 'smtpText'
        from jsonb_array_elements($3::jsonb) as n (entry)
        where r.message_id = $1 and r.address = n.entry ->> 'address')
    update email_messages set state = $2, data_started_at = null,
      unknowns = unknowns + case when $4::boolean then 1 else 0 end,
      settled_at = case when $2 in ('queued', 'sending') then null else ${at('$5')} end where id = $1`,
  ),
  cancel: statement(
    'cancel',
    `with made as (update email_messages set settled_at = ${at('$2')}, state = case when exists (
          select 1 from email_recipients r where r.message_id = $1 and r.state = 'accepted')
        then 'partial' else 'cancelled' end where id = $1 and state in ('queued', 'sending') returning id)
    update email_recipients r set state = 'cancelled' from made
      where r.message_id = made.id and r.state in (${OPEN})`,
  ),
  endLost: statement(
    'end-lost',
    `with lost as (select m.id, m.data_started_at from email_messages m where m.state in ('queued', 'sending')
        and m.id in (select d.payload from deliveries d where d.kind = $2 and d.state = 'failed')
        and not exists (select from deliveries d where d.kind = $2 and d.state = 'due' and d.payload = m.id)
        for update of m),
      those as (update email_recipients r set smtp_code = null, smtp_text = $3,
          state = case when lost.data_started_at is null then 'failed' else 'unknown' end
        from lost where r.message_id = lost.id and r.state in (${OPEN})),
      ended as (update email_messages m set data_started_at = null, settled_at = ${at('$1')},
          state = case when exists (select 1 from email_recipients r
            where r.message_id = m.id and r.state = 'accepted') then 'partial' else 'failed' end
        from lost where m.id = lost.id returning 1)
    select count(*)::int as ended from ended`,
  ),
  requeue: statement(
    'requeue',
    `with those as (update email_recipients r set state = 'queued' from email_messages m
        where m.id = $1 and m.state in ('failed', 'partial') and r.message_id = m.id
          and r.state in ('failed', 'unknown', 'deferred') returning 1)
    update email_messages set state = 'queued', settled_at = null, unknowns = 0
      where id = $1 and exists (select 1 from those) returning id`,
  ),
  states: statement('states', 'select state, count(*)::int as count from email_messages group by state'),
  counts: statement(
    'counts',
    `select r.state, count(*)::int as count from email_messages m join email_recipients r on r.message_id = m.id
      where m.domain_id = $1 and m.created_at > ${at('$3')} - make_interval(days => $2) group by r.state`,
  ),
}

/** Statements of promises to clients, and of owners' usage. */
export const PROMISES = {
  remembered: statement(
    'remembered',
    `select body_hash, answer from email_answers where owner = $1 and key = $2
      and created_at > ${at('$3')} - interval '1 day'`,
  ),
  remember: statement(
    'remember',
    `insert into email_answers as a (owner, key, body_hash, answer, created_at)
      values ($1, $2, $3, $4::jsonb, ${at('$5')})
      on conflict (owner, key) do update set body_hash = excluded.body_hash, answer = excluded.answer,
        created_at = excluded.created_at where a.created_at <= ${at('$5')} - interval '1 day' returning owner`,
  ),
  spend: statement(
    'spend',
    `insert into email_usage as u (owner, day, recipients) select $1, ${day('$4')}, $2::int where $2::int <= $3::int
      on conflict (owner, day) do update set recipients = u.recipients + $2::int
        where u.recipients + $2::int <= $3::int returning owner`,
  ),
}

/** Statements that delete rows past their retention. */
export const PURGES = {
  bodies: statement(
    'purge-bodies',
    `delete from email_bodies b using email_messages m
      where m.id = b.message_id and m.settled_at < ${at('$2')} - make_interval(days => $1)`,
  ),
  messages: statement(
    'purge',
    `with gone as (delete from email_messages
        where settled_at < ${at('$2')} - make_interval(days => $1) returning 1)
      select count(*)::int as purged from gone`,
  ),
  answers: statement(
    'purge-answers',
    `delete from email_answers where created_at <= ${at('$1')} - interval '1 day'`,
  ),
  usage: statement('purge-usage', `delete from email_usage where day < ${day('$1')} - 1`),
}
