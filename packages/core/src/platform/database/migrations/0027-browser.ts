import type { MigrationStep } from './index.ts'

/** Tokens of the browser worker, and the work that was done with them. */
export const browser: MigrationStep = {
  name: '0027-browser',
  sql: [
    `create table browser_tokens (
      id text primary key,
      digest text not null unique,
      label text not null,
      license_id text,
      daily_limit integer not null check (daily_limit > 0),
      used_on date,
      used integer not null default 0,
      created_at timestamptz not null,
      last_used_at timestamptz,
      revoked_at timestamptz) with (fillfactor = 80)`,
    `create table browser_runs (
      id text primary key,
      token_id text not null,
      kind text not null check (kind in ('scrape', 'observe', 'act', 'run')),
      url_host text not null,
      status text not null,
      steps integer not null default 0,
      ms integer not null default 0,
      bytes bigint not null default 0,
      llm_tokens integer not null default 0,
      created_at timestamptz not null)`,
    'create index browser_runs_created_at on browser_runs (created_at)',
  ],
}
