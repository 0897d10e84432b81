import type { MigrationStep } from './index.ts'

/** When any replica last began a periodic task: this keeps it to once a period. */
export const scheduler: MigrationStep = {
  name: '0004-scheduler',
  sql: [
    `create table scheduler_tasks (
      name text primary key,
      begun_at timestamptz not null,
      due_at timestamptz not null)`,
  ],
}
