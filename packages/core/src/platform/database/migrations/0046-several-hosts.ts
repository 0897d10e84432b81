import type { MigrationStep } from './index.ts'

/**
 * Apps with several hosts, and jobs that other hosts follow: when one has succeeded, the same is stored for
 * the next host, in the transaction of that report. It takes the place in the queue that the first one had,
 * so that later orders for the app stay behind it. Any other end leaves the hosts that follow as they are.
 * A payload that counts its hosts (`roll`) goes on counting.
 */
export const severalHosts: MigrationStep = {
  name: '0046-several-hosts',
  sql: [
    `alter table apps add column more_hosts jsonb not null default '[]'`,
    'alter table jobs add column successors jsonb',
    `create function svc_job_follow() returns trigger language plpgsql as $$
     declare
       next jsonb := new.successors -> 0;
     begin
       insert into jobs (id, license_id, kind, payload, target, urgent, app, serial_key, deployment_id,
         max_attempts, timeout_seconds, created_at, due_at, available_at, successors)
       values (next ->> 'id', new.license_id, new.kind,
         case when new.payload ? 'roll'
           then jsonb_set(new.payload, '{roll,host}', to_jsonb((new.payload #>> '{roll,host}')::int + 1))
           else new.payload end,
         next ->> 'target', new.urgent, new.app, new.serial_key, next ->> 'deploymentId',
         new.max_attempts, new.timeout_seconds, new.finished_at, new.due_at,
         svc_place(new.urgent, new.due_at, new.finished_at),
         case when jsonb_array_length(new.successors) > 1 then new.successors - 0 end);
       if next ->> 'deploymentId' is not null then
         insert into deployments (id, license_id, job_id, app, source, created_at, made_by)
           select next ->> 'deploymentId', d.license_id, next ->> 'id', d.app, d.source, new.finished_at, d.made_by
           from deployments d where d.job_id = new.id;
       end if;
       if new.kind in ('expose', 'unexpose') then
         update app_domains set job_id = next ->> 'id' where license_id = new.license_id and job_id = new.id;
       end if;
       return null;
     end $$`,
    `create trigger jobs_follow after update of finished_at on jobs for each row
       when (old.finished_at is null and new.state = 'succeeded' and new.successors is not null)
       execute function svc_job_follow()`,
  ],
}
