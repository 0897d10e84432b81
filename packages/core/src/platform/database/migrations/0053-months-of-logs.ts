import type { MigrationStep } from './index.ts'

// The first id of a time, as `firstIdAt` spells it.
const FIRST_ID = `create function svc_first_job_id(at timestamptz) returns text
   language sql stable set search_path from current as $$
   select 'job_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
       ((floor(extract(epoch from at) * 1000)::bigint >> (5 * n)) & 31)::int + 1, 1), '' order by n desc)
     || repeat('0', 16)
   from generate_series(0, 9) n $$`

// Bounds are null where there is none: the part for other ids has neither.
const PARTS = `create function svc_log_parts(out part regclass, out low text, out high text,
     out pieces bigint)
   returns setof record language sql stable set search_path from current as $$
   select c.oid::regclass, substring(b.bounds from 'FROM \\(''([^'']+)'),
     substring(b.bounds from 'TO \\(''([^'']+)'), greatest(c.reltuples, 0)::bigint
   from pg_inherits i join pg_class c on c.oid = i.inhrelid, pg_get_expr(c.relpartbound, c.oid) b (bounds)
   where i.inhparent = 'job_log_chunks'::regclass order by 3 $$`

// A part gives no rights of its own: those over the whole count, for statements that name it.
const REVOKE = `create function svc_revoke_all(part regclass) returns void
   language plpgsql set search_path from current as $$
   declare grantee text;
   begin
     for grantee in select distinct case a.grantee when 0 then 'public' else a.grantee::regrole::text end
         from pg_class c, aclexplode(c.relacl) a where c.oid = part and a.grantee <> c.relowner loop
       execute pg_catalog.format('revoke all on %s from %s', part, grantee);
     end loop;
   end $$`

// Functions that run as the owner cast, and say pg_catalog, where another function could be found first. They
// give up a lock that is not to be had at once, since lines would wait behind them: the tick tries again.
// Rows of clocks that were ahead wait in the part for other ids until their month is made.
const MAKE = `create function svc_make_partition(month date) returns boolean
   language plpgsql security definer set search_path from current set lock_timeout = '1s' as $$
   declare
     begins timestamp := month::timestamp;
     part text := 'job_log_chunks_' || to_char(begins, 'YYYY_MM');
     since text := svc_first_job_id(begins at time zone 'UTC');
     until text := svc_first_job_id((begins + interval '1 month') at time zone 'UTC');
   begin
     if not has_table_privilege(session_user, 'job_log_chunks', 'insert') then
       raise insufficient_privilege using message = 'months of logs are made by those who add to them';
     elsif begins <> date_trunc('month', begins) or until <= svc_first_job_id(now())
         or begins > now() at time zone 'UTC' + interval '2 months' then
       raise exception 'months of logs are made from this one to the second from now';
     elsif exists (select from svc_log_parts() p where coalesce(p.low, '') < until and p.high > since) then
       return false;
     end if;
     lock table job_log_chunks_other in access exclusive mode;
     execute pg_catalog.format('create table %I (like job_log_chunks_other including all)', part);
     perform svc_revoke_all(part::regclass);
     execute pg_catalog.format('with moved as (delete from job_log_chunks_other
         where job_id >= %L and job_id < %L returning *)
       insert into %I select * from moved', since, until, part);
     execute pg_catalog.format('alter table job_log_chunks attach partition %I for values from (%L) to (%L)',
       part, since, until);
     return true;
   exception when lock_not_available or duplicate_table then
     return false;
   end $$`

// Jobs that ended since, or run still, keep their logs: in the part for other ids, as their month is no more.
// The part of all that was before spans years of jobs, so it goes once little is left of it.
const DROP = `create function svc_drop_partition(before timestamptz, with_rows boolean) returns bigint
   language plpgsql security definer set search_path from current set lock_timeout = '1s' as $$
   declare
     over timestamptz := least(before, now() - interval '1 day');
     month record;
     kept text[];
     rest int;
   begin
     if not has_table_privilege(session_user, 'job_log_chunks', 'delete') then
       raise insufficient_privilege using message = 'months of logs are let go by those who delete from them';
     end if;
     for month in select * from svc_log_parts() p
         where p.high <= svc_first_job_id(over - interval '1 day') loop
       kept := case when with_rows and month.low is not null then array(
         select j.id from jobs j where j.id >= month.low and j.id < month.high
           and (j.finished_at is null or j.finished_at >= over)) end;
       execute pg_catalog.format('select count(*) from (select from %s
         where $1 is null or job_id = any ($1) limit 10001) r', month.part) into rest using kept;
       continue when rest > 10000;
       lock table job_log_chunks in access exclusive mode;
       continue when not exists (select from svc_log_parts() p where p.part = month.part);
       execute pg_catalog.format('alter table job_log_chunks detach partition %s', month.part);
       execute pg_catalog.format('insert into job_log_chunks select * from %s
         where $1 is null or job_id = any ($1)', month.part) using kept;
       execute pg_catalog.format('drop table %s', month.part);
       return greatest(month.pieces - rest, 0);
     end loop;
     return null;
   exception when lock_not_available then
     return null;
   end $$`

// The new table has the rights of the one that was there, whatever new tables of the owner give.
const RIGHTS = `do $$
   declare given record;
   begin
     perform svc_revoke_all('job_log_chunks');
     for given in select case a.grantee when 0 then 'public' else a.grantee::regrole::text end as grantee,
         a.privilege_type, case when a.is_grantable then ' with grant option' else '' end as more
         from pg_class c, aclexplode(c.relacl) a
         where c.oid = 'job_log_chunks_before'::regclass and a.grantee <> c.relowner loop
       execute format('grant %s on job_log_chunks to %s%s', given.privilege_type, given.grantee, given.more);
     end loop;
   end $$`

/**
 * Logs by the month of their job's id, so that a month goes as a whole: a file is taken away, instead of rows
 * that are written to once more and left to vacuum. All earlier logs are one part, which is attached and not
 * copied; it is read once for its bound. Ids of no time, or of no month, have a part too. Each part has keys,
 * the whole has none: a job lies in one part, and `pg_restore --clean` cannot drop keys that belong to one of
 * the whole.
 */
export const monthsOfLogs: MigrationStep = {
  name: '0053-months-of-logs',
  sql: [
    `select set_config('search_path', format('%I, pg_temp', current_schema()), true)`,
    FIRST_ID,
    'alter table job_log_chunks rename to job_log_chunks_before',
    'alter index job_log_chunks_pkey rename to job_log_chunks_before_pkey',
    'alter index job_log_chunks_key rename to job_log_chunks_before_key',
    `create table job_log_chunks (like job_log_chunks_before including defaults including storage)
       partition by range (job_id)`,
    PARTS,
    REVOKE,
    RIGHTS,
    'create table job_log_chunks_other (like job_log_chunks_before including all)',
    'alter table job_log_chunks attach partition job_log_chunks_other default',
    `do $$
     declare bound text := svc_first_job_id(date_trunc('month', now(), 'UTC') + interval '1 month');
     begin
       execute format('with moved as (delete from job_log_chunks_before where job_id >= %L returning *)
         insert into job_log_chunks select * from moved', bound);
       execute format('alter table job_log_chunks attach partition job_log_chunks_before
         for values from (minvalue) to (%L)', bound);
       perform svc_revoke_all(part) from svc_log_parts();
     end $$`,
    MAKE,
    DROP,
    `select svc_make_partition((date_trunc('month', now() at time zone 'UTC') + make_interval(months => n))::date)
     from generate_series(1, 2) n`,
  ],
}
