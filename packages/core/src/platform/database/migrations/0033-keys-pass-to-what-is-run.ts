import type { MigrationStep } from './index.ts'

const UNFINISHED = 'finished_at is null'
const PLANNED_ANEW = 'set plan_cache_mode = force_custom_plan'
// The silence after which a host counts as offline.
const LIVE = `a.last_heartbeat >= at - interval '140 seconds'`
const WAITS = `j.license_id = lic and j.serial_key = key and j.${UNFINISHED} and j.state = 'pending' and j.available_at = 'infinity'`
const PLACE = 'svc_place(j.urgent, j.due_at, j.created_at)'
const TURN = `order by ${PLACE}, j.due_at, j.id limit 1`

/**
 * No job of a kind that nobody runs keeps the serial key of its app. When a job behind it is due, and some
 * host would take that one, the key passes on, and the first job waits behind. Nothing else changes the
 * order: jobs that hosts run take the key as before, and one that hosts do not run follows when no other
 * is left. Somebody has the key as long as jobs have it, so that a host that comes later finds the job at
 * once. While no host of the license is online nothing passes, since nothing would run.
 *
 * Looked at when a job is stored behind others, when one ends that has others behind it, and by the sweep,
 * for hosts that go offline or run other kinds meanwhile. Claims look at nothing. The trigger runs after
 * the row is stored: one that a dedupe key turns away passes no key on.
 */
export const keysPassToWhatIsRun: MigrationStep = {
  name: '0033-keys-pass-to-what-is-run',
  sql: [
    `create function svc_is_run(lic text, knd text, tgt text, at timestamptz) returns boolean language sql stable as
     $$ select exists (select from agents a where a.license_id = lic and (tgt = '' or a.fingerprint = tgt) and ${LIVE}
          and (a.kinds is null or knd = any (a.kinds)))
        or not exists (select from agents a where a.license_id = lic and ${LIVE}) $$`,
    // The first in order, unless no host runs it and one that hosts run is due as well. Kinds and targets of
    // those that wait are judged once each, however many wait.
    `create function svc_serial_next(lic text, key text, at timestamptz, run_only boolean) returns text
     language plpgsql stable ${PLANNED_ANEW} as $$
     declare
       first record;
       runs text;
     begin
       select j.id, j.kind, j.target, ${PLACE} as place into first from jobs j where ${WAITS} ${TURN};
       if not found then return null; end if;
       if first.place <= at and svc_is_run(lic, first.kind, first.target, at) then return first.id; end if;
       select j.id into runs from jobs j where ${WAITS} and ${PLACE} <= at and (j.kind, j.target) in (
         select work.kind, work.target from (select distinct j.kind, j.target from jobs j where ${WAITS}) work
         where svc_is_run(lic, work.kind, work.target, at)) ${TURN};
       return coalesce(runs, case when not run_only then first.id end);
     end $$`,
    `create function svc_serial_pass(lic text, key text, at timestamptz) returns void
     language plpgsql ${PLANNED_ANEW} as $$
     declare
       holder text;
       next text;
     begin
       perform svc_lock_serial(lic, key);
       select j.id into holder from jobs j where j.license_id = lic and j.serial_key = key and j.${UNFINISHED}
         and j.state = 'pending' and j.available_at < 'infinity' and not svc_is_run(lic, j.kind, j.target, at) limit 1;
       if not found then return; end if;
       next := svc_serial_next(lic, key, at, true);
       if next is null then return; end if;
       update jobs set available_at = 'infinity' where id = holder and ${UNFINISHED} and state = 'pending';
       if not found then return; end if;
       update jobs set available_at = svc_place(urgent, due_at, created_at) where id = next and ${UNFINISHED};
     end $$`,
    `create or replace function svc_serial_release() returns trigger language plpgsql ${PLANNED_ANEW} as $$
     begin
       perform svc_lock_serial(new.license_id, new.serial_key);
       if exists (select from jobs h where h.license_id = new.license_id and h.serial_key = new.serial_key
           and h.${UNFINISHED} and h.available_at < 'infinity') then
         return null;
       end if;
       update jobs set available_at = svc_place(urgent, due_at, created_at)
         where id = svc_serial_next(new.license_id, new.serial_key, new.finished_at, false);
       return null;
     end $$`,
    `create function svc_serial_stored() returns trigger language plpgsql as $$
     begin
       perform svc_serial_pass(new.license_id, new.serial_key, new.created_at);
       return null;
     end $$`,
    `create trigger jobs_serial_stored after insert on jobs
       for each row when (new.contended) execute function svc_serial_stored()`,
  ],
}
