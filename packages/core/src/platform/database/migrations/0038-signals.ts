import type { MigrationStep } from './index.ts'

/**
 * Words to waiting hosts (`signal.ts` has their form). Triggers send them, so that no statement that makes
 * work can forget to. A claim, a report and a heartbeat meet a condition that PostgreSQL judges by itself,
 * and send nothing. The time until a job is due counts from the time of the statement that stored it.
 */
export const signals: MigrationStep = {
  name: '0038-signals',
  sql: [
    `create function svc_job_signal() returns trigger language plpgsql as $$
     begin
       perform pg_notify('svc', format('job %s %s %s %s %s', new.license_id, new.id, new.kind,
         case when tg_op = 'UPDATE' or new.available_at <= new.created_at then 0
           else least(86400000, ceil(1000 * extract(epoch from new.available_at - new.created_at)))::bigint end,
         new.target));
       return null;
     end $$`,
    `create function svc_holder_signal() returns trigger language plpgsql as $$
     begin
       perform pg_notify('svc', format('host %s %s', new.license_id, new.claimed_by));
       return null;
     end $$`,
    `create function svc_host_signal() returns trigger language plpgsql as $$
     begin
       perform pg_notify('svc', format('host %s %s', new.license_id, new.fingerprint));
       return null;
     end $$`,
    `create function svc_access_signal() returns trigger language plpgsql as $$
     begin
       perform pg_notify('svc', format('access %s %s', new.license_id, new.fingerprint));
       return null;
     end $$`,
    `create trigger jobs_signal after insert on jobs for each row
       when (new.state = 'pending' and new.available_at < 'infinity') execute function svc_job_signal()`,
    `create trigger jobs_release_signal after update of available_at on jobs for each row
       when (new.state = 'pending' and new.available_at < 'infinity'
         and (old.state <> 'pending' or old.available_at = 'infinity')) execute function svc_job_signal()`,
    `create trigger jobs_cancel_signal after update of cancel_requested_at on jobs for each row
       when (old.cancel_requested_at is null and new.cancel_requested_at is not null
         and new.claimed_by is not null and new.finished_at is null) execute function svc_holder_signal()`,
    `create trigger agents_drain_signal after update of drained_at on agents for each row
       when ((old.drained_at is null) <> (new.drained_at is null)) execute function svc_host_signal()`,
    `create trigger access_sessions_signal after insert on access_sessions for each row
       execute function svc_access_signal()`,
  ],
}
