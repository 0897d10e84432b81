import type { MigrationStep } from './index.ts'

/**
 * Indexes of the few rows that every host asks for and hardly any finds: jobs that it is to stop, and itself
 * drained. Almost empty, they answer without a page of the table. A plan that was made while `jobs` was empty
 * took the index of all jobs of a license for the first of them: 15 ms a claim behind 50,000 finished ones,
 * until the table was analysed.
 */
export const rareRows: MigrationStep = {
  name: '0009-rare-rows',
  sql: [
    `create index jobs_to_stop on jobs (license_id, claimed_by, id)
       where cancel_requested_at is not null and finished_at is null and claimed_by is not null`,
    'create index agents_drained on agents (license_id, fingerprint) where drained_at is not null',
  ],
}
