import type { MigrationStep } from './index.ts'

/**
 * The `env` of a job's payload, sealed: the payload itself keeps the names. Jobs from before keep their
 * values in the payload. The index is for the rotation of keys: few jobs have an `env`.
 */
export const sealedEnvOfJobs: MigrationStep = {
  name: '0041-sealed-env-of-jobs',
  sql: [
    'alter table jobs add column sealed_env text',
    'create index jobs_sealed_env on jobs (id collate "C") where sealed_env is not null',
  ],
}
