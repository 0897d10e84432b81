import type { MigrationStep } from './index.ts'

const TABLES = [
  `create table webhook_endpoints (
    id text primary key,
    license_id text not null,
    tenant_id text,
    url text not null,
    description text not null,
    events text[] not null,
    max_age_seconds int not null,
    secret text not null,
    old_secret text,
    old_secret_until timestamptz,
    last_error text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    unique (license_id, url))`,
  'create index webhook_endpoints_tenant on webhook_endpoints (tenant_id) where tenant_id is not null',
  `create table webhook_messages (
    id text primary key,
    license_id text not null,
    type text not null,
    body text not null,
    occurred_at timestamptz not null)`,
  'create index webhook_messages_old on webhook_messages (occurred_at)',
  `create table delivery_attempts (
    delivery_id text not null references deliveries (id) on delete cascade,
    n int not null,
    at timestamptz not null,
    duration_ms int not null,
    status int,
    error text,
    response text not null,
    primary key (delivery_id, n))`,
]

/** The end of an id: 26 characters that follow from a text, so that one fact has one id on every replica. */
const idOf = (text: string) => `substr(encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), 1, 26)`
const ISO = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`
/** Larger bodies are sent with the ids alone. */
const MAX_BODY_BYTES = 32_768

// One statement that writes the message and its deliveries, in the transaction of the event. The ids follow
// from the fact, so that a second report of it writes nothing. A license-less fact is told to every endpoint
// of the tenant. Name of the type: `event`; of the sequence: `topic`.
const EVENT = `create function svc_event(license text, tenant text, event text, fact text, topic text, happened timestamptz,
    content json, thin json default null, beside text default '') returns void language plpgsql as $$
  declare
    body text := json_build_object('type', event, 'timestamp', to_char(happened at time zone 'UTC', ${ISO}),
      'data', content)::text;
  begin
    if octet_length(body) > ${MAX_BODY_BYTES} then
      body := json_build_object('type', event, 'timestamp', to_char(happened at time zone 'UTC', ${ISO}),
        'data', thin)::text;
    end if;
    with hit as (
        select e.id, e.license_id, e.max_age_seconds, r.paused,
          'msg_' || ${idOf(`e.license_id || ' ' || fact`)} as message
        from webhook_endpoints e
          left join delivery_recipients r on r.kind = 'endpoint' and r.recipient = e.id
        where (e.license_id = license or e.tenant_id = tenant and license = '')
          and e.id <> beside and e.events && array['*', event, split_part(event, '.', 1) || '.*']),
      said as (
        insert into webhook_messages (id, license_id, type, body, occurred_at)
        select distinct message, license_id, event, body, happened from hit on conflict do nothing returning id)
    insert into deliveries (id, kind, recipient, payload, state, created_at, due_at, settled_at, expires_at, sequence)
    select 'dlv_' || ${idOf(`h.message || ' ' || h.id`)}, 'endpoint', h.id, h.message,
      case when h.paused is null then 'due' else 'skipped' end, happened, happened,
      case when h.paused is not null then happened end, happened + make_interval(secs => h.max_age_seconds), topic
    from said s join hit h on h.message = s.id;
  end $$`

// Hot statements pay for the look at the endpoints of their license alone, and only for a job that is claimed
// or ends.
const JOBS = [
  `create function svc_job_event() returns trigger language plpgsql as $$
   declare
     host text := coalesce(new.claimed_by, old.claimed_by);
     outcome text;
   begin
     if not exists (select from webhook_endpoints where license_id = new.license_id) then return null; end if;
     outcome := case when new.finished_at is null then case when new.lost > old.lost then 'reclaimed' else 'claimed' end
       when new.state = 'failed' and new.cancel_requested_at is not null then 'cancelled' else new.state end;
     perform svc_event(new.license_id, null, 'job.' || outcome,
       'job:' || new.id || ':' || outcome || ':' || new.attempt, new.id, coalesce(new.finished_at, new.claimed_at),
       json_strip_nulls(json_build_object('job_id', new.id, 'kind', new.kind, 'state', new.state,
         'server_id', 'agt_' || left(host, 12), 'exit_code', new.exit_code, 'error', left(new.error, 512),
         'deployment_id', new.deployment_id)));
     if new.finished_at is not null and new.deployment_id is not null then
       perform svc_event(new.license_id, null, 'deployment.' || new.state, 'deployment:' || new.deployment_id,
         new.id, new.finished_at, json_strip_nulls(json_build_object('deployment_id', new.deployment_id,
           'state', new.state, 'commit', (select d.source ->> 'commit' from deployments d where d.id = new.deployment_id))));
     end if;
     return null;
   end $$`,
  `create trigger jobs_event after update of attempt, finished_at on jobs for each row
     when (new.attempt > old.attempt or old.finished_at is null and new.finished_at is not null)
     execute function svc_job_event()`,
]

const HOSTS = [
  `create function svc_host_event() returns trigger language plpgsql as $$
   begin
     if not exists (select from webhook_endpoints where license_id = new.license_id) then return null; end if;
     perform svc_event(new.license_id, null, 'host.activated',
       'host.activated:' || new.fingerprint || ':' || extract(epoch from new.first_seen_at), new.fingerprint,
       new.first_seen_at, json_build_object('server_id', 'agt_' || left(new.fingerprint, 12), 'hostname', new.hostname,
         'last_heartbeat', coalesce(floor(extract(epoch from new.last_heartbeat))::bigint, 0)));
     return null;
   end $$`,
  `create trigger agents_event after insert on agents for each row execute function svc_host_event()`,
]

// A host is offline while its alert is open, so that the event and the alert never disagree. An alert that a
// person resolves, or that ends since the host was drained, does not say that the host is back.
const ALERTS = [
  `create function svc_alert_event() returns trigger language plpgsql as $$
   declare
     what text := case when tg_op = 'INSERT' or old.resolved_at is not null and new.resolved_at is null then 'opened'
       when new.resolved_at is not null and old.resolved_at is null then 'resolved' else 'acknowledged' end;
     happened timestamptz := case what when 'opened' then new.last_seen_at when 'resolved' then new.resolved_at
       else new.acknowledged_at end;
     fact text := new.id || ':' || what || ':' || extract(epoch from happened);
     host json;
   begin
     if not exists (select from webhook_endpoints where license_id = new.license_id
       or new.license_id = '' and tenant_id = new.tenant_id) then return null; end if;
     perform svc_event(new.license_id, new.tenant_id, 'alert.' || what, 'alert:' || fact, new.id, happened,
       json_build_object('alert_id', new.id, 'kind', new.kind, 'severity', new.severity, 'subject', new.dedup_key,
         'opened_at', floor(extract(epoch from new.starts_at))::bigint));
     if new.kind in ('host_offline', 'host_stopped') and what <> 'acknowledged' then
       select json_build_object('server_id', 'agt_' || left(a.fingerprint, 12), 'hostname', a.hostname,
           'last_heartbeat', coalesce(floor(extract(epoch from a.last_heartbeat))::bigint, 0)) into host
         from agents a where a.license_id = new.license_id and a.fingerprint = new.fingerprint
           and (what = 'opened' or a.drained_at is null and a.last_heartbeat > new.resolved_at - interval '140 seconds');
       if host is not null then
         perform svc_event(new.license_id, null, case what when 'opened' then 'host.offline' else 'host.online' end,
           'host:' || fact, new.fingerprint, happened, host);
       end if;
     end if;
     return null;
   end $$`,
  `create trigger alerts_event after insert on alerts for each row execute function svc_alert_event()`,
  `create trigger alerts_change_event after update of resolved_at, acknowledged_at on alerts for each row
     when ((old.resolved_at is null) <> (new.resolved_at is null)
       or new.acknowledged_at is distinct from old.acknowledged_at and new.acknowledged_at is not null)
     execute function svc_alert_event()`,
]

const MONITORS = [
  `create function svc_monitor_event() returns trigger language plpgsql as $$
   declare
     what text := case when new.drifted_at is not null then 'drift' else 'recovered' end;
     license text := coalesce(new.license_id, '');
   begin
     if not exists (select from webhook_endpoints where license_id = license
       or license = '' and tenant_id = new.tenant_id) then return null; end if;
     perform svc_event(license, new.tenant_id, 'monitor.' || what,
       'monitor:' || new.id || ':' || what || ':' || extract(epoch from coalesce(new.drifted_at, old.drifted_at)), new.id,
       coalesce(new.drifted_at, new.last_run_at),
       json_build_object('monitor_id', new.id, 'name', new.name, 'type', new.type,
         'expected', coalesce(new.expected, '[]'), 'observed', coalesce(new.confirmed, '[]')),
       json_build_object('monitor_id', new.id, 'name', new.name, 'type', new.type, 'truncated', true));
     return null;
   end $$`,
  `create trigger monitors_event after update of drifted_at on monitors for each row
     when ((old.drifted_at is null) <> (new.drifted_at is null) and old.revision = new.revision
       and new.last_run_at is not null)
     execute function svc_monitor_event()`,
]

// The end of a license is an event of its tenant: its own key opens nothing any more.
const LICENSES = [
  `create function svc_license_event() returns trigger language plpgsql as $$
   declare
     what text := case when tg_op = 'INSERT' then 'issued' else 'updated' end;
     happened timestamptz := clock_timestamp();
   begin
     perform svc_event(case when new.tenant_id is null then new.id else '' end, new.tenant_id, 'license.' || what,
       'license:' || new.id || ':' || what || ':' || new.status || ':' || extract(epoch from happened), new.id, happened,
       json_build_object('license_id', new.id, 'tier', 'business', 'status', new.status,
         'expires_at', coalesce(floor(extract(epoch from new.expires_at))::bigint, 0)));
     return null;
   end $$`,
  `create trigger licenses_event after insert on licenses for each row execute function svc_license_event()`,
  `create trigger licenses_change_event after update of status, expires_at on licenses for each row
     when (new.status <> old.status or new.expires_at is distinct from old.expires_at)
     execute function svc_license_event()`,
]

/**
 * Webhooks of licenses. Triggers write the events: no statement of a feature knows of webhooks, none can
 * forget an event, and replicas of the previous release tell theirs.
 */
export const webhooks: MigrationStep = {
  name: '0021-webhooks',
  sql: [...TABLES, EVENT, ...JOBS, ...HOSTS, ...ALERTS, ...MONITORS, ...LICENSES],
}
