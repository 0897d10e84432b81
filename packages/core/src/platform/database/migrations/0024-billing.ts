import type { MigrationStep } from './index.ts'

// Suspensions from before there were reasons are decisions of operators.
const LICENSES = [
  `alter table licenses add column tier text, add column status_reason text, add column billing_state text,
    add column current_period_end timestamptz, add column provider_customer_id text, add column contact_email text`,
  `update licenses set status_reason = 'operator' where status <> 'active'`,
  `create unique index licenses_customer on licenses (provider_customer_id) where provider_customer_id is not null`,
]

const TABLES = [
  `create table billing_checkouts (
    id text primary key,
    license_id text not null references licenses (id),
    tier text not null,
    price_id text not null,
    request text not null,
    session_id text unique,
    url text,
    state text not null,
    reserved_at timestamptz not null,
    expires_at timestamptz not null)`,
  `create unique index billing_checkouts_live on billing_checkouts (license_id) where state in ('creating', 'open')`,
  `create table billing_subscriptions (
    id text primary key,
    license_id text not null references licenses (id),
    customer_id text not null,
    price_id text,
    tier text,
    status text,
    cancel_at_period_end boolean not null,
    cancel_at timestamptz,
    current_period_end timestamptz,
    ended_at timestamptz,
    created_at timestamptz not null,
    sync_token bigint not null,
    live_token bigint,
    last_event_created timestamptz,
    last_event_rank int,
    parked_reason text)`,
  `create unique index billing_subscriptions_live on billing_subscriptions (license_id)
    where parked_reason is null and status in ('trialing', 'active', 'past_due')`,
  'create index billing_subscriptions_license on billing_subscriptions (license_id)',
  // A sequence would begin anew in a copy, below the tokens that its rows hold.
  `create table billing_sync_tokens (
    singleton boolean primary key default true check (singleton),
    last bigint not null)`,
  `create table billing_dunning (
    license_id text not null references licenses (id),
    invoice_id text not null,
    started_at timestamptz not null,
    ended_at timestamptz,
    primary key (license_id, invoice_id))`,
  `create table payment_events (
    id text primary key,
    type text not null,
    created timestamptz not null,
    livemode boolean not null,
    object_id text not null,
    license_id text,
    state text not null,
    attempts int not null,
    next_attempt_at timestamptz,
    lease_token text,
    lease_until timestamptz,
    error text,
    payload_redacted jsonb not null,
    received_at timestamptz not null)`,
  'create index payment_events_due on payment_events (next_attempt_at) where next_attempt_at is not null',
  'create index payment_events_list on payment_events (received_at desc, id)',
]

const SECONDS = (at: string) => `coalesce(floor(extract(epoch from ${at}))::bigint, 0)`
const FACTS = (
  license: string,
) => `json_strip_nulls(json_build_object('license_id', ${license}.id, 'tier', ${license}.tier,
  'status', ${license}.status, 'billing_state', ${license}.billing_state,
  'current_period_end', ${SECONDS(`${license}.current_period_end`)}))`

// Only the statement of billing sets a billing state: operators' changes of a license are no events of
// billing.
const EVENTS = [
  `create or replace function svc_license_event() returns trigger language plpgsql as $$
   declare
     what text := case when tg_op = 'INSERT' then 'issued' else 'updated' end;
     happened timestamptz := clock_timestamp();
   begin
     perform svc_event(case when new.tenant_id is null then new.id else '' end, new.tenant_id, 'license.' || what,
       'license:' || new.id || ':' || what || ':' || new.status || ':' || extract(epoch from happened), new.id, happened,
       json_build_object('license_id', new.id, 'tier', coalesce(new.tier, 'business'), 'status', new.status,
         'expires_at', ${SECONDS('new.expires_at')}));
     return null;
   end $$`,
  `create function svc_billing_event() returns trigger language plpgsql as $$
   declare
     happened timestamptz := clock_timestamp();
   begin
     perform svc_event(new.id, null, 'billing.license_updated', 'billing:' || new.id || ':' || extract(epoch from happened),
       new.id, happened, ${FACTS('new')});
     return null;
   end $$`,
  `create trigger licenses_billing_event after update of billing_state on licenses for each row
     when (new.billing_state is not null) execute function svc_billing_event()`,
  `create function svc_dunning_event() returns trigger language plpgsql as $$
   declare
     l licenses;
   begin
     select * into l from licenses where id = new.license_id;
     perform svc_event(l.id, null, 'billing.payment_failed', 'dunning:' || l.id || ':' || new.invoice_id, l.id,
       new.started_at, ${FACTS('l')});
     return null;
   end $$`,
  `create trigger billing_dunning_event after insert on billing_dunning for each row execute function svc_dunning_event()`,
]

/** Tiers of licenses, and the payment provider's events about them. */
export const billing: MigrationStep = { name: '0024-billing', sql: [...LICENSES, ...TABLES, ...EVENTS] }
