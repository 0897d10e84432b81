import type { MigrationStep } from './index.ts'

// The reasons of these columns stand in monitors/monitor.ts. A run holds a lease under a token of its own:
// a change of the definition takes the lease away, so that the answer to an old question is never written.
const MONITORS = [
  `create table monitors (
    id text primary key,
    tenant_id text references tenants (id),
    license_id text,
    name text not null,
    host text not null,
    type text not null,
    mode text not null check (mode in ('baseline', 'expect')),
    match text not null check (match in ('exact', 'contains', 'subset', 'absent')),
    expected jsonb,
    interval_seconds int not null check (interval_seconds between 60 and 86400),
    confirmations int not null check (confirmations between 1 and 5),
    resolvers jsonb not null default '[]',
    created_at timestamptz not null default now(),
    revision int not null default 1,
    paused_at timestamptz,
    next_run_at timestamptz not null default now(),
    lease_token text,
    lease_until timestamptz,
    last_run_at timestamptz,
    last_answer_at timestamptz,
    confirmed jsonb,
    pending jsonb,
    drifted_at timestamptz,
    error_streak int not null default 0,
    error text,
    unreachable_at timestamptz,
    check (tenant_id is null or license_id is null)) with (fillfactor = 80)`,
  `create unique index monitors_name on monitors (coalesce(license_id, tenant_id, ''), name)`,
  `create index monitors_due on monitors (next_run_at, id) where paused_at is null`,
]

// One row for each stretch of equal outcomes: a monitor that stays as it is costs one row, however often it
// runs.
const HISTORY = [
  `create table monitor_history (
    monitor_id text not null references monitors (id) on delete cascade,
    seq int not null,
    outcome text not null,
    answer jsonb,
    error text,
    runs int not null,
    first_at timestamptz not null,
    last_at timestamptz not null,
    primary key (monitor_id, seq)) with (fillfactor = 80)`,
]

/** DNS monitors and the outcomes of their runs. */
export const monitors: MigrationStep = { name: '0003-monitors', sql: [...MONITORS, ...HISTORY] }
