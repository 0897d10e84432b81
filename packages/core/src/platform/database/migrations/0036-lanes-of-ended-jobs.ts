import type { MigrationStep } from './index.ts'

/**
 * The newest end of each lane: an application, else a kind on a host. Without it the alert on failed jobs, at
 * every tick, read all jobs there have ever been. The index is made in one reading of the table, some seconds
 * for millions of jobs, while hosts wait with their reports.
 */
export const lanesOfEndedJobs: MigrationStep = {
  name: '0036-lanes-of-ended-jobs',
  sql: [
    `create index jobs_lane on jobs (license_id, (coalesce('app ' || app, kind || ' ' || target)), finished_at)
       where finished_at is not null`,
  ],
}
