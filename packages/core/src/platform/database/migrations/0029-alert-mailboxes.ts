import type { MigrationStep } from './index.ts'

/** Mail addresses that alerts are sent to: one list for each tenant, and one for alerts without a tenant. */
export const alertMailboxes: MigrationStep = {
  name: '0029-alert-mailboxes',
  sql: [
    `create table alert_mailboxes (
      tenant_id text primary key,
      addresses jsonb not null,
      created_at timestamptz not null)`,
    'alter table alert_notices drop constraint alert_notices_channel_check',
    `alter table alert_notices add constraint alert_notices_channel_check
      check (channel in ('log', 'webhook', 'mail'))`,
  ],
}
