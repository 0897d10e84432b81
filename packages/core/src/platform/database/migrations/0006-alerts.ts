import type { MigrationStep } from './index.ts'

// The memory of the lifecycle for a dedup key outlives the rows of alerts: a snooze and the count of
// transitions stay. No column that evaluations change is indexed, so that an alert that goes on costs
// heap-only updates.
const LIFECYCLE = [
  `create table alert_watches (
    license_id text not null,
    dedup_key text not null,
    tenant_id text,
    revision int not null,
    evaluated_at timestamptz not null,
    pending_since timestamptz,
    present boolean not null,
    transitions jsonb not null,
    dismissed text,
    snoozed_until timestamptz,
    primary key (license_id, dedup_key)) with (fillfactor = 80)`,
  `create table alerts (
    id text primary key,
    license_id text not null,
    tenant_id text,
    dedup_key text not null,
    kind text not null,
    severity text not null check (severity in ('critical', 'warning', 'info')),
    summary text not null,
    fingerprint text,
    hostname text,
    details jsonb not null,
    event text,
    count int not null,
    flapping boolean not null,
    starts_at timestamptz not null,
    last_seen_at timestamptz not null,
    acknowledged_at timestamptz,
    acknowledged_by text,
    ack_expires_at timestamptz,
    resolved_at timestamptz,
    resolved_by text,
    notified_at timestamptz) with (fillfactor = 80)`,
  `create unique index alerts_unresolved on alerts (license_id, dedup_key) where resolved_at is null`,
  `create index alerts_latest on alerts (license_id, dedup_key, id)`,
  `create index alerts_newest on alerts (license_id, id)`,
  `create index alerts_resolved on alerts (resolved_at) where resolved_at is not null`,
  `create table alert_actions (
    id text primary key,
    alert_id text not null references alerts (id) on delete cascade,
    at timestamptz not null,
    actor text not null,
    action text not null,
    note text)`,
  `create index alert_actions_alert on alert_actions (alert_id, id)`,
]

// A row of alert_notices is the permission to announce one transition on one channel. It travels in one
// delivery.
const DELIVERY = [
  `create table alert_webhooks (
    tenant_id text primary key,
    url text not null,
    secret text not null,
    created_at timestamptz not null)`,
  `create table alert_deliveries (
    id text primary key,
    channel text not null check (channel in ('log', 'webhook')),
    tenant_id text not null,
    state text not null check (state in ('due', 'sent', 'failed')),
    attempts int not null default 0,
    created_at timestamptz not null,
    due_at timestamptz not null,
    lease_token text,
    lease_until timestamptz,
    settled_at timestamptz,
    status int,
    error text)`,
  `create index alert_deliveries_due on alert_deliveries (due_at, id) where state = 'due'`,
  `create index alert_deliveries_newest on alert_deliveries (tenant_id, channel, id)`,
  `create table alert_notices (
    alert_id text not null references alerts (id) on delete cascade,
    opening int not null,
    transition text not null check (transition in ('firing', 'flapping', 'resolved')),
    channel text not null check (channel in ('log', 'webhook')),
    tenant_id text not null,
    snapshot jsonb not null,
    created_at timestamptz not null,
    delivery_id text,
    primary key (alert_id, opening, transition, channel))`,
  `create index alert_notices_waiting on alert_notices (channel, tenant_id) where delivery_id is null`,
  `create index alert_notices_delivery on alert_notices (delivery_id) where delivery_id is not null`,
]

// Machines (boot id and hostname) that reported under a fingerprint before another machine did, and when they
// last came back after it. A trigger writes them, which runs only if a heartbeat changes the boot id or the
// hostname, so that the statement of heartbeats stays as it is. A sample once a minute would miss machines
// that report at the same second of each minute.
const CLONES = [
  `create table host_identities (
    license_id text not null,
    fingerprint text not null,
    boot_id text not null,
    hostname text not null,
    left_at timestamptz not null,
    returned_at timestamptz,
    primary key (license_id, fingerprint, boot_id, hostname))`,
  `create index host_identities_returned on host_identities (returned_at) where returned_at is not null`,
  `create function svc_host_identity() returns trigger language plpgsql as $$
   begin
     delete from host_identities where license_id = new.license_id and fingerprint = new.fingerprint
       and greatest(left_at, returned_at) < new.last_heartbeat - interval '1 hour';
     update host_identities set returned_at = new.last_heartbeat
       where license_id = new.license_id and fingerprint = new.fingerprint
         and boot_id = new.boot_id and hostname = new.hostname
         and left_at >= new.last_heartbeat - interval '10 minutes';
     insert into host_identities as i (license_id, fingerprint, boot_id, hostname, left_at)
       values (new.license_id, new.fingerprint, old.boot_id, old.hostname, new.last_heartbeat)
       on conflict (license_id, fingerprint, boot_id, hostname) do update set left_at = excluded.left_at;
     return null;
   end $$`,
  `create trigger agents_identity after update of boot_id, hostname on agents
     for each row when (old.boot_id <> new.boot_id or old.hostname <> new.hostname)
     execute function svc_host_identity()`,
  `create function svc_host_forgotten() returns trigger language plpgsql as $$
   begin
     delete from host_identities where license_id = old.license_id and fingerprint = old.fingerprint;
     return null;
   end $$`,
  `create trigger agents_forgotten after delete on agents
     for each row execute function svc_host_forgotten()`,
]

const FACTS = [
  `create table rate_refusals (
    license_id text not null,
    minute timestamptz not null,
    count int not null,
    primary key (license_id, minute)) with (fillfactor = 70)`,
  `create table alert_evaluations (
    singleton boolean primary key default true check (singleton),
    at timestamptz not null,
    gap_from timestamptz,
    gap_until timestamptz)`,
  `create index jobs_failed on jobs (finished_at) where has_failed`,
]

/** Alerts, their lifecycle and delivery, and the facts for their rules that nothing else keeps. */
export const alerts: MigrationStep = {
  name: '0006-alerts',
  sql: [...LIFECYCLE, ...DELIVERY, ...CLONES, ...FACTS],
}
