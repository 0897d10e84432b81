import type { MigrationStep } from './index.ts'

/**
 * Figures of hosts over time. There is no foreign key: its check would lock the hot rows of all hosts each
 * hour. Names are in the order of their bytes, so that pages of hosts can be read.
 */
export const hostUsage: MigrationStep = {
  name: '0049-host-usage',
  sql: [
    `create table host_usage (
      license_id text collate "C" not null,
      fingerprint text collate "C" not null,
      starts_at timestamptz not null,
      share int not null,
      slot_seconds int not null,
      figures bytea not null,
      primary key (license_id, fingerprint, starts_at, share))`,
    `create function svc_host_usage_forgotten() returns trigger language plpgsql as $$
     begin
       delete from host_usage where license_id = old.license_id and fingerprint = old.fingerprint;
       return null;
     end $$`,
    `create trigger agents_usage_forgotten after delete on agents for each row
       execute function svc_host_usage_forgotten()`,
  ],
}
