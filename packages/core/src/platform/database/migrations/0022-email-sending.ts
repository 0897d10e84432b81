import type { MigrationStep } from './index.ts'

/** Messages that are sent, the keys they come with, and the addresses that get none. */
export const emailSending: MigrationStep = {
  name: '0022-email-sending',
  sql: [
    `create table email_keys (
      id text primary key,
      owner text not null,
      name text not null,
      prefix text not null,
      digest text not null unique,
      domain_id text references email_domains (id) on delete cascade,
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      last_used_at timestamptz,
      revoked_at timestamptz) with (fillfactor = 80)`,
    'create index email_keys_owner on email_keys (owner)',
    `create table email_messages (
      id text primary key,
      owner text not null,
      kind text not null,
      domain_id text not null,
      key_id text,
      from_address text not null,
      tags jsonb not null default '{}',
      state text not null check (state in ('queued', 'sending', 'sent', 'partial', 'failed', 'cancelled')),
      unknowns int not null default 0,
      data_started_at timestamptz,
      created_at timestamptz not null default now(),
      settled_at timestamptz) with (fillfactor = 80)`,
    'create index email_messages_domain on email_messages (domain_id, created_at)',
    'create index email_messages_owner on email_messages (owner, id collate "C")',
    'create index email_messages_settled on email_messages (settled_at) where settled_at is not null',
    `create table email_bodies (
      message_id text primary key references email_messages (id) on delete cascade,
      key text not null,
      contents text not null)`,
    `create table email_recipients (
      message_id text not null references email_messages (id) on delete cascade,
      address text not null,
      position int not null,
      role text not null,
      state text not null,
      smtp_code int,
      smtp_text varchar(300),
      primary key (message_id, address)) with (fillfactor = 80)`,
    `create table email_answers (
      owner text not null,
      key text not null,
      body_hash text not null,
      answer jsonb not null,
      created_at timestamptz not null default now(),
      primary key (owner, key))`,
    `create table email_suppressions (
      owner text not null,
      address text not null,
      reason text not null,
      until timestamptz not null,
      created_at timestamptz not null default now(),
      primary key (owner, address))`,
    `create table email_usage (
      owner text not null,
      day date not null,
      recipients int not null,
      primary key (owner, day)) with (fillfactor = 80)`,
  ],
}
