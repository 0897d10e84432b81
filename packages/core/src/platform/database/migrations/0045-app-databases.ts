import type { MigrationStep } from './index.ts'

/**
 * The databases of a license's hosts, each with its newest job. They outlive the apps that they are linked
 * to. The id is license and name.
 */
export const appDatabases: MigrationStep = {
  name: '0045-app-databases',
  sql: [
    `create table app_databases (
      id text primary key,
      license_id text not null,
      name text not null,
      engine text not null,
      links jsonb not null,
      op text not null,
      job_id text not null,
      made_by text not null,
      created_at timestamptz not null,
      updated_at timestamptz not null)`,
    'create index app_databases_license on app_databases (license_id)',
  ],
}
