import { type SqlBool, sql } from 'kysely'
import { at } from '../../platform/database/statement-time.ts'
import { statement } from './chat-tables-sql.ts'
import type { ChatMode } from './conversation.ts'

/** Condition for conversation `$1` of session `$2`, if its last message is younger than `$3` days. */
const visible = (now: string) =>
  `c.id = $1 and c.session_id = $2 and c.last_message_at > ${at(now)} - make_interval(days => $3)`

// Statements that add a message lock the conversation's row first, so that its messages are numbered one by
// one.

/** Adds a conversation with its first message. */
export const BEGIN = {
  name: 'chat-begin',
  text: `with begun as (
      insert into chat_conversations (id, session_id, category, contact, messages, waiting_since, created_at, last_message_at)
      values ($1, $2, $3, $4, 1, ${at('$7')}, ${at('$7')}, ${at('$7')}) returning *
    ), said as (
      insert into chat_messages (conversation_id, seq, id, role, text, created_at)
      select id, 1, $5, 'visitor', $6, created_at from begun)
    select * from begun`,
}

/** Adds a visitor's further message. */
export const SAY = {
  name: 'chat-say',
  text: `with spoken as (
      update chat_conversations c set messages = messages + 1, last_message_at = ${at('$8')},
        waiting_since = coalesce(waiting_since, ${at('$8')}), category = coalesce($4, category), contact = coalesce($5, contact)
      where ${visible('$8')} and mode <> 'closed' returning *
    ), said as (
      insert into chat_messages (conversation_id, seq, id, role, text, created_at)
      select id, messages, $6, 'visitor', $7, last_message_at from spoken)
    select * from spoken`,
}

/** Adds an answer of the service, unless a person has taken over since. */
export const ANSWER = {
  name: 'chat-answer',
  text: `with spoken as (
      update chat_conversations set messages = messages + 1, last_message_at = ${at('$8')},
        waiting_since = case when $7::boolean then null else waiting_since end
      where id = $1 and mode = 'ai' returning id, messages, last_message_at
    )
    insert into chat_messages (conversation_id, seq, id, role, text, engine, sources, truncated, created_at)
    select id, messages, $2, 'bot', $3, $4, $5::jsonb, $6::boolean, last_message_at from spoken returning id`,
}

/** Adds a person's message, which takes the conversation over. */
export const REPLY = {
  name: 'chat-reply',
  text: `with spoken as (
      update chat_conversations set messages = messages + 1, last_message_at = ${at('$4')}, waiting_since = null,
        mode = 'human_active'
      where id = $1 and mode <> 'closed' returning *
    ), said as (
      insert into chat_messages (conversation_id, seq, id, role, text, created_at)
      select id, messages, $2, 'human', $3, last_message_at from spoken)
    select * from spoken`,
}

/** Changes the mode; closing also ends the visitor's wait for an answer. */
export const CHANGE = statement(
  'chat-change',
  (tables, { id, from, to }: { id: string; from: readonly ChatMode[]; to: ChatMode }) =>
    tables
      .updateTable('chat_conversations')
      .set({
        mode: to,
        waiting_since: sql<Date>`case when ${to}::text = 'closed' then null else waiting_since end`,
      })
      .where('id', '=', id)
      .where(sql<SqlBool>`mode = any(${from}::text[])`)
      .returningAll(),
)

/** The current mode. */
export const MODE = statement('chat-mode', (tables, { id }: { id: string }) =>
  tables.selectFrom('chat_conversations').select('mode').where('id', '=', id),
)

/** One conversation. */
export const FIND = statement('chat-find', (tables, { id }: { id: string }) =>
  tables.selectFrom('chat_conversations').selectAll().where('id', '=', id),
)

/** The last messages, oldest first. */
export const MESSAGES = {
  name: 'chat-messages',
  text: `select * from (select * from chat_messages
      where conversation_id = $1 and seq < coalesce($3::int, 2147483647) order by seq desc limit $2) as last
    order by seq`,
}

/** One row for each message of a person, with the mode; without messages, one row with the mode alone. */
export const REPLIES = {
  name: 'chat-replies',
  text: `select c.mode, m.id, m.seq, m.role, m.text, m.engine, m.sources, m.truncated, m.created_at
    from chat_conversations c left join chat_messages m on m.conversation_id = c.id and m.role = 'human'
      and m.seq > coalesce((select seq from chat_messages where conversation_id = $1 and id = $4), 0)
    where ${visible('$5')} order by m.seq limit 100`,
}

/** The latest conversations. */
export const LATEST = statement('chat-latest', (tables, { limit }: { limit: number }) =>
  tables
    .selectFrom('chat_conversations')
    .selectAll()
    .orderBy('last_message_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit),
)

/** Conversations that wait for an answer, longest wait first. */
export const WAITING = statement('chat-waiting', (tables, { limit }: { limit: number }) =>
  tables
    .selectFrom('chat_conversations')
    .selectAll()
    .where('waiting_since', 'is not', null)
    .orderBy('waiting_since')
    .orderBy('id')
    .limit(limit),
)

/** Counts one more answer without documents, up to `max`. */
export const SMALL_TALK = statement('chat-small-talk', (tables, { id, max }: { id: string; max: number }) =>
  tables
    .updateTable('chat_conversations')
    .set(({ eb }) => ({ small_talk: eb('small_talk', '+', 1) }))
    .where('id', '=', id)
    .where('small_talk', '<', max)
    .returning('id'),
)

/** Counts one more call of the model today (UTC), up to `$1`. */
export const MODEL_CALL = {
  name: 'chat-model-call',
  text: `insert into chat_model_days as d (day, calls)
    select (${at('$2')} at time zone 'UTC')::date, 1 where $1::int > 0
    on conflict (day) do update set calls = d.calls + 1 where d.calls < $1 returning calls`,
}

/** Deletes a batch of conversations without a message for `$1` days; a later batch takes the locked ones. */
export const PURGE = {
  name: 'chat-purge',
  text: `with old as (
      select id from chat_conversations where last_message_at <= ${at('$3')} - make_interval(days => $1)
      order by last_message_at limit $2 for update skip locked
    ), said as (
      delete from chat_messages using old where conversation_id = old.id returning 1
    ), gone as (
      delete from chat_conversations c using old where c.id = old.id returning 1
    ), days as (
      delete from chat_model_days where day < (${at('$3')} at time zone 'UTC')::date - 7)
    select (select count(*) from gone)::int as conversations, (select count(*) from said)::int as messages`,
}
