import type { MigrationStep } from './index.ts'

// All reads of waiting deliveries go through these. The order of bytes makes the place of a receiver the same
// for every database.
const WAITING = "where state = 'due'"
const INDEXES = [
  'drop index deliveries_due',
  'drop index deliveries_newest',
  `create index deliveries_waiting on deliveries (kind, recipient collate "C", due_at, id) ${WAITING} and not forced`,
  `create index deliveries_forced on deliveries (kind, due_at, id) ${WAITING} and forced`,
  `create index deliveries_sequence on deliveries (kind, recipient, sequence) ${WAITING} and sequence is not null`,
  `create index deliveries_ends on deliveries (kind, (coalesce(spent_at, expires_at)))
     ${WAITING} and coalesce(spent_at, expires_at) is not null`,
  'create index deliveries_newest on deliveries (kind, recipient, created_at, id collate "C")',
  `create index deliveries_settled on deliveries (kind, settled_at) where state <> 'due'`,
]

/**
 * The outbox of all features gets the columns for many receivers: the payload of a delivery, sequences, ends,
 * and each receiver's breaker state. A receiver without a row has the state of a new one, so that adding a
 * delivery, also by replicas of the previous release, writes nothing here.
 */
export const deliveryEngine: MigrationStep = {
  name: '0015-delivery-engine',
  sql: [
    `create table delivery_recipients (
      kind text not null,
      recipient text collate "C" not null,
      breaker text not null default 'closed' check (breaker in ('closed', 'open', 'half_open')),
      consecutive_failures int not null default 0,
      opens int not null default 0,
      open_until timestamptz,
      probe_until timestamptz,
      failing_since timestamptz,
      last_success_at timestamptz,
      last_failure_at timestamptz,
      paused text,
      primary key (kind, recipient)) with (fillfactor = 70)`,
    `create index delivery_recipients_broken on delivery_recipients (kind, recipient) where breaker <> 'closed'`,
    `alter table deliveries add column payload text, add column max_attempts int, add column expires_at timestamptz,
      add column spent_at timestamptz, add column sequence text, add column forced boolean not null default false`,
    'alter table deliveries drop constraint alert_deliveries_state_check',
    `alter table deliveries add constraint deliveries_state_check
       check (state in ('due', 'sent', 'failed', 'expired', 'skipped', 'cancelled'))`,
    'alter table deliveries set (fillfactor = 80)',
    ...INDEXES,
  ],
}
