import type { MigrationStep } from './index.ts'

/** Domains that messages are sent from, with their DKIM keys. */
export const emailDomains: MigrationStep = {
  name: '0016-email-domains',
  sql: [
    `create table email_domains (
      id text primary key,
      owner text not null,
      name text not null,
      selector text not null unique,
      dkim_key text not null,
      dkim_public text not null,
      next_selector text unique,
      next_key text,
      next_public text,
      status text not null default 'pending',
      findings jsonb not null default '{}',
      created_at timestamptz not null default now(),
      failing_since timestamptz,
      next_check_at timestamptz,
      verified_at timestamptz,
      checked_at timestamptz,
      lease_token text,
      lease_until timestamptz,
      unique (owner, name)) with (fillfactor = 80)`,
    'create index email_domains_due on email_domains (next_check_at) where next_check_at is not null',
  ],
}
