import { sql } from 'kysely'
import type { Statement } from '../../../platform/database/session.ts'
import { at } from '../../../platform/database/statement-time.ts'
import { atOrNow, type Timed } from '../../../platform/database/typed-statement.ts'
import { statement } from '../email-tables-sql.ts'
import type { RememberedAnswer } from './email-messages-store.ts'

const text = (name: string, text: string): Statement => ({ name: `email-message-${name}`, text })
const RECIPIENTS = `(select jsonb_agg(jsonb_build_object('address', r.address, 'role', r.role, 'state', r.state,
    'code', r.smtp_code, 'text', r.smtp_text) order by r.position) from email_recipients r where r.message_id = m.id)`
const SHOWN = `m.*, ${RECIPIENTS} as recipients`
const day = (parameter: string) => `(${at(parameter)} at time zone 'UTC')::date`
const COUNT = sql<number>`count(*)::int`.as('count')
const daysAgo = (days: number, now: Date | undefined) =>
  sql<string>`${atOrNow(now)} - make_interval(days => ${days})`
type Remembered = Omit<RememberedAnswer, 'answer'> & {
  readonly owner: string
  readonly key: string
  readonly answer: string
}
const OPEN = `'queued', 'deferred', 'unknown'`

/** Statements of messages. */
export const MESSAGES = {
  add: text(
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
  find: text('find', `select ${SHOWN} from email_messages m where m.id = $1`),
  list: text(
    'list',
    `select ${SHOWN} from email_messages m where ($1::text is null or m.owner = $1)
      and ($2::text is null or m.state = $2) and ($3::text is null or m.id collate "C" < $3)
      order by m.id collate "C" desc limit $4`,
  ),
  body: statement('email-message-body', (tables, { id }: { id: string }) =>
    tables.selectFrom('email_bodies').select(['key', 'contents as text']).where('message_id', '=', id),
  ),
  begin: text(
    'begin',
    `with before as (select ${SHOWN} from email_messages m where m.id = $1 for update of m),
      made as (update email_messages m set state = 'sending', data_started_at = null from before
        where m.id = before.id and m.state in ('queued', 'sending'))
    select * from before`,
  ),
  dataStarted: statement('email-message-data-started', (tables, { id, now }: Timed & { id: string }) =>
    tables
      .updateTable('email_messages')
      .set({ data_started_at: atOrNow(now) })
      .where('id', '=', id),
  ),
  record: text(
    'record',
    `with those as (update email_recipients r set state = n.entry ->> 'state',
        smtp_code = (n.entry ->> 'smtpCode')::int, smtp_text = n.entry ->> 'smtpText'
        from jsonb_array_elements($3::jsonb) as n (entry)
        where r.message_id = $1 and r.address = n.entry ->> 'address')
    update email_messages set state = $2, data_started_at = null,
      unknowns = unknowns + case when $4::boolean then 1 else 0 end,
      settled_at = case when $2 in ('queued', 'sending') then null else ${at('$5')} end where id = $1`,
  ),
  cancel: text(
    'cancel',
    `with made as (update email_messages set settled_at = ${at('$2')}, state = case when exists (
          select 1 from email_recipients r where r.message_id = $1 and r.state = 'accepted')
        then 'partial' else 'cancelled' end where id = $1 and state in ('queued', 'sending') returning id)
    update email_recipients r set state = 'cancelled' from made
      where r.message_id = made.id and r.state in (${OPEN})`,
  ),
  endLost: text(
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
  requeue: text(
    'requeue',
    `with those as (update email_recipients r set state = 'queued' from email_messages m
        where m.id = $1 and m.state in ('failed', 'partial') and r.message_id = m.id
          and r.state in ('failed', 'unknown', 'deferred') returning 1)
    update email_messages set state = 'queued', settled_at = null, unknowns = 0
      where id = $1 and exists (select 1 from those) returning id`,
  ),
  states: statement('email-message-states', (tables) =>
    tables.selectFrom('email_messages').select(['state', COUNT]).groupBy('state'),
  ),
  counts: statement('email-message-counts', (tables, given: Timed & { domainId: string; days: number }) =>
    tables
      .selectFrom('email_messages as m')
      .innerJoin('email_recipients as r', 'r.message_id', 'm.id')
      .select(['r.state', COUNT])
      .where('m.domain_id', '=', given.domainId)
      .where('m.created_at', '>', daysAgo(given.days, given.now))
      .groupBy('r.state'),
  ),
}

/** Statements of promises to clients, and of owners' usage. */
export const PROMISES = {
  remembered: statement('email-message-remembered', (tables, given: Timed & { owner: string; key: string }) =>
    tables
      .selectFrom('email_answers')
      .selectAll()
      .where('owner', '=', given.owner)
      .where('key', '=', given.key)
      .where('created_at', '>', sql<string>`${atOrNow(given.now)} - interval '1 day'`),
  ),
  remember: statement('email-message-remember', (tables, given: Remembered & Timed) => {
    const answered = {
      body_hash: given.bodyHash,
      answer: sql<RememberedAnswer['answer']>`${given.answer}::jsonb`,
      created_at: atOrNow(given.now),
    }
    return tables
      .insertInto('email_answers')
      .values({ owner: given.owner, key: given.key, ...answered })
      .onConflict((conflict) =>
        conflict
          .columns(['owner', 'key'])
          .doUpdateSet(answered)
          .where('email_answers.created_at', '<=', sql<string>`${atOrNow(given.now)} - interval '1 day'`),
      )
      .returning('owner')
  }),
  spend: text(
    'spend',
    `insert into email_usage as u (owner, day, recipients) select $1, ${day('$4')}, $2::int where $2::int <= $3::int
      on conflict (owner, day) do update set recipients = u.recipients + $2::int
        where u.recipients + $2::int <= $3::int returning owner`,
  ),
}

/** Statements that delete rows past their retention. */
export const PURGES = {
  bodies: statement('email-message-purge-bodies', (tables, { days, now }: Timed & { days: number }) =>
    tables
      .deleteFrom('email_bodies as b')
      .using('email_messages as m')
      .whereRef('m.id', '=', 'b.message_id')
      .where('m.settled_at', '<', daysAgo(days, now)),
  ),
  messages: text(
    'purge',
    `with gone as (delete from email_messages
        where settled_at < ${at('$2')} - make_interval(days => $1) returning 1)
      select count(*)::int as purged from gone`,
  ),
  answers: statement('email-message-purge-answers', (tables, { now }: Timed) =>
    tables
      .deleteFrom('email_answers')
      .where('created_at', '<=', sql<string>`${atOrNow(now)} - interval '1 day'`),
  ),
  usage: statement('email-message-purge-usage', (tables, { now }: Timed) =>
    tables
      .deleteFrom('email_usage')
      .where('day', '<', sql<string>`(${atOrNow(now)} at time zone 'UTC')::date - 1`),
  ),
}
