import type { MigrationStep } from './index.ts'

/** Documents of hosts about their security, and a way to the jobs that carry them. */
export const nodeSecurity: MigrationStep = {
  name: '0019-node-security',
  sql: [
    `create table node_security_revisions (
      license_id text not null,
      fingerprint text not null,
      revision int not null,
      settings jsonb not null,
      sha256 text not null,
      updated_at timestamptz not null default now(),
      updated_by text not null,
      primary key (license_id, fingerprint, revision))`,
    // A job that begins, goes on or ends changes nothing that this index holds.
    `create index jobs_firewall on jobs (license_id, target, id) where kind = 'firewall'`,
  ],
}
