import type { MigrationStep } from './index.ts'

/** Domains and databases of apps follow the repeat of their newest job, so that their state is its. */
export const repeatsOfOrders: MigrationStep = {
  name: '0048-repeats-of-orders',
  sql: [
    `create function svc_job_repeated() returns trigger language plpgsql as $$
     begin
       update app_domains set job_id = new.id where license_id = new.license_id and job_id = new.retry_of;
       update app_databases set job_id = new.id where license_id = new.license_id and job_id = new.retry_of;
       return null;
     end $$`,
    `create trigger jobs_repeated after insert on jobs for each row
       when (new.retry_of is not null and new.kind in ('expose', 'unexpose', 'db'))
       execute function svc_job_repeated()`,
  ],
}
