import type { MigrationStep } from './index.ts'

/** Conversations get a state of their own, messages a table, and the model's calls a count by day. */
export const chat: MigrationStep = {
  name: '0005-chat',
  sql: [
    `alter table chat_conversations
      add column messages int not null default 0,
      add column small_talk int not null default 0,
      add column waiting_since timestamptz`,
    `create index chat_conversations_age on chat_conversations (last_message_at)`,
    `create index chat_conversations_waiting on chat_conversations (waiting_since) where waiting_since is not null`,
    `create table chat_messages (
      conversation_id text not null references chat_conversations (id),
      seq int not null,
      id text not null unique,
      role text not null,
      text text not null,
      engine text,
      sources jsonb not null default '[]',
      truncated boolean not null default false,
      created_at timestamptz not null default now(),
      primary key (conversation_id, seq))`,
    `create table chat_model_days (day date primary key, calls int not null)`,
  ],
}
