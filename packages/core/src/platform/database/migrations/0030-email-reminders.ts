import type { MigrationStep } from './index.ts'

/** Reminders sent to holders of licenses, and steps that were skipped: those have no message. */
export const emailReminders: MigrationStep = {
  name: '0030-email-reminders',
  sql: [
    `create table email_reminders (
      kind text not null,
      license_id text not null,
      basis text not null,
      step int not null,
      message_id text,
      created_at timestamptz not null,
      primary key (license_id, kind, basis, step))`,
    'create index email_reminders_message on email_reminders (message_id) where message_id is not null',
    'create index licenses_expires_at on licenses (expires_at) where expires_at is not null',
  ],
}
