import type { MigrationStep } from './index.ts'

/**
 * The domains that apps are wanted to have, each with its newest job. The id is license and domain, so that a
 * domain leads to one app of a license.
 */
export const appDomains: MigrationStep = {
  name: '0043-app-domains',
  sql: [
    `create table app_domains (
      id text primary key,
      license_id text not null,
      app_id text not null references apps (id) on delete cascade,
      domain text not null,
      options jsonb not null,
      is_leaving boolean not null,
      job_id text not null,
      made_by text not null,
      created_at timestamptz not null,
      updated_at timestamptz not null)`,
    'create index app_domains_app on app_domains (app_id)',
  ],
}
