import type { MigrationStep } from './index.ts'

/**
 * The retention of jobs and logs. A database that holds ended jobs already lets nothing go until an operator
 * accepts the rules, since no release before had any: its row says so. All others have none at first.
 */
export const retention: MigrationStep = {
  name: '0051-retention',
  sql: [
    `create table retention (
      id int primary key check (id = 1),
      held boolean not null default false,
      accepted_at timestamptz,
      accepted_by text,
      logs_before timestamptz)`,
    `insert into retention (id, held)
     select 1, true where exists (select from jobs where finished_at is not null)`,
  ],
}
