/**
 * Statements that add the witness to a migrated database. Triggers record every change of a job, every chunk
 * of a log and every heartbeat that goes backwards, in the transaction that makes it. So the database itself
 * records the events, also across its crashes.
 */
export const WITNESS_TABLES: readonly string[] = [
  `create table chaos_hosts (fingerprint text primary key, number int not null, license_id text not null, kind text not null)`,
  `create table chaos_breaches (rule text not null, evidence text not null)`,
  `create table chaos_moves (
    id bigserial primary key, at timestamptz not null default clock_timestamp(),
    job_id text not null, license_id text not null, old_license text,
    old_state text, new_state text not null, old_owner text, new_owner text,
    old_attempt int, new_attempt int not null, old_until timestamptz, new_until timestamptz not null,
    cancelled boolean not null, rewritten boolean not null)`,
  `create function chaos_move() returns trigger language plpgsql as $$
   begin
     insert into chaos_moves (job_id, license_id, old_license, old_state, new_state, old_owner, new_owner,
       old_attempt, new_attempt, old_until, new_until, cancelled, rewritten)
     values (new.id, new.license_id, old.license_id, old.state, new.state, old.claimed_by, new.claimed_by,
       old.attempt, new.attempt, old.available_at, new.available_at, new.cancel_requested_at is not null,
       (old.exit_code, old.error, old.finished_at) is distinct from (new.exit_code, new.error, new.finished_at));
     return null;
   end $$`,
  `create trigger chaos_move after insert or update on jobs for each row execute function chaos_move()`,
  `create table chaos_chunks (
    job_id text not null, first_line int not null, attempt int not null, owner text, job_attempt int not null,
    at timestamptz not null default clock_timestamp())`,
  `create function chaos_chunk() returns trigger language plpgsql as $$
   begin
     insert into chaos_chunks (job_id, first_line, attempt, owner, job_attempt)
     select new.job_id, new.first_line, new.attempt, j.claimed_by, j.attempt from jobs j where j.id = new.job_id;
     return null;
   end $$`,
  `create trigger chaos_chunk after insert on job_log_chunks for each row execute function chaos_chunk()`,
  `create function chaos_frozen() returns trigger language plpgsql as $$
   begin
     insert into chaos_breaches values ('I5', format('%s of a stored chunk of %s', tg_op, old.job_id));
     return null;
   end $$`,
  `create trigger chaos_frozen after update or delete on job_log_chunks for each row execute function chaos_frozen()`,
  `create function chaos_gone() returns trigger language plpgsql as $$
   begin
     insert into chaos_breaches values ('I4', format('job %s was deleted', old.id));
     return null;
   end $$`,
  `create trigger chaos_gone after delete on jobs for each row execute function chaos_gone()`,
  `create function chaos_beat() returns trigger language plpgsql as $$
   begin
     if new.last_heartbeat < old.last_heartbeat or new.seq < old.seq then
       insert into chaos_breaches values ('I8', format('host %s went from heartbeat %s at %s back to %s at %s',
         new.fingerprint, old.seq, old.last_heartbeat, new.seq, new.last_heartbeat));
     end if;
     return null;
   end $$`,
  `create trigger chaos_beat after update on agents for each row execute function chaos_beat()`,
]

/** Statements that add the tables for the testimony of clients. Times are unix milliseconds. */
export const TESTIMONY_TABLES: readonly string[] = [
  `create table chaos_acks (
    kind text not null, sent float8 not null, got float8 not null, host text, license text, job text, attempt int,
    state text, first int, lines int, seq float8)`,
  `create table chaos_stored (
    job_id text not null, attempt int not null, writer text not null, lines int not null)`,
  `create table chaos_barred (license_id text not null, asked float8 not null, since float8, lifting float8, lifted float8)`,
  `create index chaos_moves_job on chaos_moves (job_id, id)`,
  `create view chaos_owned as
    select job_id, new_owner as owner, new_attempt as attempt, new_state as state,
      extract(epoch from at)::float8 * 1000 as since,
      coalesce(extract(epoch from lead(at) over (partition by job_id order by id))::float8 * 1000, 'infinity') as until
    from chaos_moves`,
]
