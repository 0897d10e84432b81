import type { MigrationStep } from './index.ts'

/** Product users, and the sessions and second factors of everybody who signs in. */
export const people: MigrationStep = {
  name: '0002-people',
  sql: [
    `create table users (
      id text primary key,
      email text not null unique,
      role text not null,
      tenant_id text not null references tenants (id),
      password_hash text,
      disabled_at timestamptz,
      created_at timestamptz not null default now())`,
    `create table sessions (
      digest text primary key,
      user_id text not null,
      minted boolean not null default false,
      created_at timestamptz not null,
      last_used_at timestamptz not null,
      expires_at timestamptz not null,
      revoked_at timestamptz) with (fillfactor = 80)`,
    `create index sessions_user on sessions (user_id)`,
    // The secret is kept as it is: codes are made of it. Recovery codes are kept as digests.
    `create table second_factors (
      user_id text primary key,
      secret text not null,
      begun_at timestamptz not null,
      confirmed_at timestamptz,
      last_step integer not null default 0,
      recovery text[] not null default '{}')`,
  ],
}
