import type { MigrationStep } from './index.ts'

/**
 * Lists of operators, after a year of a large fleet: jobs that failed, deployments of an app, sessions on a
 * host, messages and images by their age. Each read its whole table, or all of a license. A job that succeeds
 * has no entry in them. To make them reads each table once, some seconds for millions of jobs, while hosts
 * wait with their reports.
 */
export const listsOfAYear: MigrationStep = {
  name: '0050-lists-of-a-year',
  sql: [
    'create index jobs_failed_newest on jobs (id) where has_failed',
    'create index jobs_failed_of_license on jobs (license_id, id) where has_failed',
    'create index deployments_of_app on deployments (license_id, app, id)',
    'create index access_sessions_of_host on access_sessions (license_id, fingerprint, created_at desc)',
    'create index email_messages_newest on email_messages (id collate "C")',
    'create index images_newest on images (captured_at desc, id collate "C" desc)',
    'create index images_of_license on images (license_id, captured_at desc, id collate "C" desc)',
  ],
}
