const at = (parameter: string) => `coalesce(${parameter}::timestamptz, now())`
const SHOWN = `id, session_id, mode, category, contact, messages, small_talk, waiting_since, created_at, last_message_at`
/** Conversations younger than `$3` days, as the visitor of session `$2` sees them. */
const visible = (now: string) =>
  `c.id = $1 and c.session_id = $2 and c.last_message_at > ${at(now)} - make_interval(days => $3)`

// The conversation's row is locked first, so that the messages of one conversation are numbered one after the
// other.

/** A conversation with its first message. */
export const BEGIN = {
  name: 'chat-begin',
  text: `with begun as (
      insert into chat_conversations (id, session_id, category, contact, messages, waiting_since, created_at, last_message_at)
      values ($1, $2, $3, $4, 1, ${at('$7')}, ${at('$7')}, ${at('$7')}) returning ${SHOWN}
    ), said as (
      insert into chat_messages (conversation_id, seq, id, role, text, created_at)
      select id, 1, $5, 'visitor', $6, created_at from begun)
    select * from begun`,
}

/** A visitor's further message. */
export const SAY = {
  name: 'chat-say',
  text: `with spoken as (
      update chat_conversations c set messages = messages + 1, last_message_at = ${at('$8')},
        waiting_since = coalesce(waiting_since, ${at('$8')}), category = coalesce($4, category), contact = coalesce($5, contact)
      where ${visible('$8')} and mode <> 'closed' returning ${SHOWN}
    ), said as (
      insert into chat_messages (conversation_id, seq, id, role, text, created_at)
      select id, messages, $6, 'visitor', $7, last_message_at from spoken)
    select * from spoken`,
}

/** An answer of the service, unless a person has taken over since. */
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

/** A person's message, which takes the conversation over. */
export const REPLY = {
  name: 'chat-reply',
  text: `with spoken as (
      update chat_conversations set messages = messages + 1, last_message_at = ${at('$4')}, waiting_since = null,
        mode = 'human_active'
      where id = $1 and mode <> 'closed' returning ${SHOWN}
    ), said as (
      insert into chat_messages (conversation_id, seq, id, role, text, created_at)
      select id, messages, $2, 'human', $3, last_message_at from spoken)
    select * from spoken`,
}

/** Another mode; whoever closes a conversation leaves nobody waiting. */
export const CHANGE = {
  name: 'chat-change',
  text: `update chat_conversations set mode = $3, waiting_since = case when $3 = 'closed' then null else waiting_since end
    where id = $1 and mode = any($2::text[]) returning ${SHOWN}`,
}

/** The mode at this moment. */
export const MODE = { name: 'chat-mode', text: 'select mode from chat_conversations where id = $1' }

/** One conversation. */
export const FIND = { name: 'chat-find', text: `select ${SHOWN} from chat_conversations where id = $1` }

/** The last messages, oldest first. */
export const MESSAGES = {
  name: 'chat-messages',
  text: `select * from (
      select id, seq, role, text, engine, sources, truncated, created_at from chat_messages
      where conversation_id = $1 order by seq desc limit $2) as last
    order by seq`,
}

/** One row with the mode for each message of a person, or one row with nothing but the mode. */
export const REPLIES = {
  name: 'chat-replies',
  text: `select c.mode, m.id, m.seq, m.role, m.text, m.engine, m.sources, m.truncated, m.created_at
    from chat_conversations c left join chat_messages m on m.conversation_id = c.id and m.role = 'human'
      and m.seq > coalesce((select seq from chat_messages where conversation_id = $1 and id = $4), 0)
    where ${visible('$5')} order by m.seq limit 100`,
}

/** The latest conversations. */
export const LATEST = {
  name: 'chat-latest',
  text: `select ${SHOWN} from chat_conversations order by last_message_at desc, id desc limit $1`,
}

/** Those that wait for an answer, longest first. */
export const WAITING = {
  name: 'chat-waiting',
  text: `select ${SHOWN} from chat_conversations where waiting_since is not null
    order by waiting_since, id limit $1`,
}

/** One more answer without documents. */
export const SMALL_TALK = {
  name: 'chat-small-talk',
  text: 'update chat_conversations set small_talk = small_talk + 1 where id = $1 and small_talk < $2 returning id',
}

/** One more call of the model today. */
export const MODEL_CALL = {
  name: 'chat-model-call',
  text: `insert into chat_model_days as d (day, calls)
    select (${at('$2')} at time zone 'UTC')::date, 1 where $1::int > 0
    on conflict (day) do update set calls = d.calls + 1 where d.calls < $1 returning calls`,
}

/** A batch of conversations that nobody has spoken in for `$1` days; busy ones are left to the next batch. */
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
