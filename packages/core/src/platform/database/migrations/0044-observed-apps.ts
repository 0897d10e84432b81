import type { MigrationStep } from './index.ts'

/** The states of apps as their hosts tell of them, beside the hot rows of the hosts. */
export const observedApps: MigrationStep = {
  name: '0044-observed-apps',
  sql: [
    `create table observed_apps (
      license_id text not null,
      fingerprint text not null,
      app text not null,
      state text not null,
      detail jsonb not null,
      is_troubled boolean not null,
      since timestamptz not null,
      observed_at timestamptz not null,
      primary key (license_id, fingerprint, app),
      foreign key (license_id, fingerprint) references agents (license_id, fingerprint) on delete cascade)`,
    'create index observed_apps_troubled on observed_apps (license_id, fingerprint, app) where is_troubled',
  ],
}
