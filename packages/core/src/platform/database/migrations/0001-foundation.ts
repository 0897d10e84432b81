import type { MigrationStep } from './index.ts'

const UNFINISHED = 'finished_at is null'

const TENANCY = [
  `create table tenants (
    id text primary key,
    name text not null unique,
    created_at timestamptz not null default now())`,
  `create table admins (
    id text primary key,
    email text not null unique,
    role text not null,
    password_hash text,
    disabled_at timestamptz,
    created_at timestamptz not null default now())`,
  `create table licenses (
    id text primary key,
    key_digest text not null unique,
    tenant_id text references tenants (id),
    label text not null default '',
    status text not null default 'active' check (status in ('active', 'suspended', 'revoked')),
    expires_at timestamptz,
    created_at timestamptz not null default now())`,
  `create table audit_log (
    id text primary key,
    at timestamptz not null default now(),
    actor text not null,
    operation text not null,
    input jsonb not null,
    outcome text not null)`,
  `create index audit_log_at on audit_log (at)`,
]

// No index on a column that heartbeats change, and room in the page: updates stay heap-only (99.9 % of 7.8
// million measured with fillfactor 70). License ids have no foreign key: keys of the allow-list have no row.
const FLEET = [
  `create table agents (
    license_id text not null,
    fingerprint text not null,
    hostname text not null default '',
    label text not null default '',
    state text not null default '',
    version text not null default '',
    boot_id text not null default '',
    cpu_pct float8,
    mem_pct float8,
    disk_pct float8,
    disk_total_gb float8,
    last_capture_at float8,
    capture_success boolean,
    last_drill_at float8,
    drill_pass boolean,
    last_heartbeat timestamptz,
    seq bigint not null default 0,
    drained_at timestamptz,
    first_seen_at timestamptz not null default now(),
    primary key (license_id, fingerprint))
   with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)`,
]

// One partial index serves new work and crash recovery: available_at is the start time of a pending job and
// the end of the lease of a held one. target is never null: a nullable one costs 12-22 ms a claim behind
// 100,000 foreign jobs. No index reads state, nor anything else that changes when a job begins to run: that
// stays within its page, where there is room: of jobs of one license that are claimed and begun 64 at a time
// 86 to 99 % do with fillfactor 50, 51 with 80.
const JOBS = [
  `create table jobs (
    id text primary key,
    license_id text not null,
    kind text not null,
    state text not null default 'pending'
      check (state in ('pending', 'claimed', 'running', 'succeeded', 'failed')),
    payload jsonb not null,
    target text not null default '',
    urgent boolean not null default false,
    app text,
    serial_key text,
    contended boolean not null default false,
    dedupe_key text,
    deployment_id text,
    retry_of text,
    created_at timestamptz not null default now(),
    due_at timestamptz not null default now(),
    available_at timestamptz not null default now(),
    claimed_by text,
    claim_key text,
    claimed_at timestamptz,
    started_at timestamptz,
    finished_at timestamptz,
    attempt int not null default 0,
    lost int not null default 0,
    max_attempts int not null,
    timeout_seconds int not null,
    cancel_requested_at timestamptz,
    cancel_reason text,
    exit_code float8,
    error text,
    has_failed boolean not null generated always as (state = 'failed') stored,
    constraint jobs_finished check ((finished_at is null) = (state in ('pending', 'claimed', 'running'))),
    constraint jobs_owned check (finished_at is not null or (claimed_by is null) = (state = 'pending')))
   with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02)`,
  `create index jobs_due on jobs (license_id, target, available_at, id) where ${UNFINISHED}`,
  `create unique index jobs_dedupe on jobs (license_id, dedupe_key) where dedupe_key is not null and ${UNFINISHED}`,
  `create index jobs_serial on jobs (license_id, serial_key) where serial_key is not null and ${UNFINISHED}`,
  `create unique index jobs_claim_key on jobs (license_id, claimed_by, claim_key)
     where claim_key is not null and ${UNFINISHED}`,
  // By host, for every question about held jobs: of an index without an order of its own the planner, who met
  // it empty, would read the whole for each host of a batch.
  `create index jobs_held on jobs (license_id, claimed_by) where ${UNFINISHED} and claimed_by is not null`,
  `create index jobs_newest on jobs (license_id, id)`,
  `create table deployments (
    id text primary key,
    license_id text not null,
    job_id text not null unique references jobs (id),
    app text not null,
    source jsonb not null,
    created_at timestamptz not null default now())`,
  `create index deployments_newest on deployments (license_id, id)`,
]

// One row a request: a row a line costs five times the bytes. first_line counts lines of the whole job before
// this chunk and job_chars the characters up to and with it, so that the cap needs no sum, readers find their
// place by the key, and two writers who saw the same end collide on it.
const LOGS = [
  `create table job_log_chunks (
    job_id text not null references jobs (id) on delete cascade,
    first_line int not null,
    attempt int not null,
    first_offset int not null,
    next_offset int not null,
    lines int not null,
    accepted int not null,
    job_chars bigint not null,
    body text not null,
    idempotency_key text,
    at timestamptz not null default now(),
    primary key (job_id, first_line))`,
  `create unique index job_log_chunks_key on job_log_chunks (job_id, idempotency_key)
     where idempotency_key is not null`,
]

// The place of a pending job in the queue: an urgent job stands ahead of all others, unless it is to start
// later than it was made.
const PLACE = [
  `create function svc_place(urgent boolean, due_at timestamptz, created_at timestamptz) returns timestamptz
   language sql immutable as $$ select case when urgent and due_at <= created_at then '-infinity' else due_at end $$`,
]

// A job whose serial key is taken waits at infinity; the end of the one before it releases the next in the
// same transaction. Jobs of one key that are unfinished at once are marked `contended`, those that hold it
// before those that wait are stored: the end of any other job, which is nearly every one, asks nobody (33 µs
// of 60 for `succeeded`). A row that is ending while it is to be marked is waited for, and then is none.
// Storing and releasing take the key's lock first, and a function body sees rows committed while it waited.
// Planned anew each time, 0.1 ms: a plan that was made when the queue was a page long reads all of it for
// ever (4 ms for each job behind 7,000).
const PLANNED_ANEW = 'set plan_cache_mode = force_custom_plan'
const SERIAL = [
  `create function svc_lock_serial(license_id text, serial_key text) returns void language sql as
   $$ select pg_advisory_xact_lock(hashtextextended(license_id || ' ' || serial_key, 7)) $$`,
  `create function svc_serial_wait() returns trigger language plpgsql ${PLANNED_ANEW} as $$
   begin
     perform svc_lock_serial(new.license_id, new.serial_key);
     update jobs j set contended = true where j.license_id = new.license_id and j.serial_key = new.serial_key
       and j.${UNFINISHED} and not j.contended;
     if exists (select from jobs j where j.license_id = new.license_id and j.serial_key = new.serial_key
                and j.${UNFINISHED}) then
       new.available_at := 'infinity';
       new.contended := true;
     end if;
     return new;
   end $$`,
  `create function svc_serial_release() returns trigger language plpgsql ${PLANNED_ANEW} as $$
   begin
     perform svc_lock_serial(new.license_id, new.serial_key);
     update jobs set available_at = svc_place(urgent, due_at, created_at) where id = (
       select id from jobs j where j.license_id = new.license_id and j.serial_key = new.serial_key
         and j.${UNFINISHED} and j.state = 'pending' and j.available_at = 'infinity'
         and not exists (select from jobs h where h.license_id = new.license_id and h.serial_key = new.serial_key
           and h.${UNFINISHED} and h.available_at < 'infinity')
       order by svc_place(j.urgent, j.due_at, j.created_at), j.due_at, j.id limit 1);
     return null;
   end $$`,
  `create trigger jobs_serial_wait before insert on jobs
     for each row when (new.serial_key is not null) execute function svc_serial_wait()`,
  `create trigger jobs_serial_release after update of finished_at on jobs
     for each row when (new.contended and old.${UNFINISHED} and not (new.${UNFINISHED}))
     execute function svc_serial_release()`,
]

// Healthz names these tables from the first release on; the support chat fills them.
const CHAT = [
  `create table chat_conversations (
    id text primary key,
    session_id text not null default '',
    mode text not null default 'ai',
    category text,
    contact text,
    created_at timestamptz not null default now(),
    last_message_at timestamptz not null default now())`,
]

// Counters of minutes: not worth a write-ahead log, and lost by a crash as those in memory are.
const LIMITS = [
  `create unlogged table rate_windows (
    name text not null,
    subject text not null,
    count int not null,
    ends_at timestamptz not null,
    primary key (name, subject)) with (fillfactor = 70)`,
]

/** Tenants, licenses, hosts, jobs, logs and deployments. */
export const foundation: MigrationStep = {
  name: '0001-foundation',
  sql: [...TENANCY, ...FLEET, ...JOBS, ...LOGS, ...PLACE, ...SERIAL, ...CHAT, ...LIMITS],
}
