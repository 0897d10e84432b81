import type { MigrationStep } from './index.ts'

/** Licenses whose keys act for hosts alone, and a count of the calls that this would have refused. */
export const agentOnly: MigrationStep = {
  name: '0035-agent-only',
  sql: [
    'alter table licenses add column agent_only boolean not null default false',
    `create table license_calls (
      license_id text not null references licenses (id) on delete cascade,
      deed text not null,
      day date not null,
      calls bigint not null,
      last_at timestamptz not null,
      primary key (license_id, deed, day))`,
  ],
}
