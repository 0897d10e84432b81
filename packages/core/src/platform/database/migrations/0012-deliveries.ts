import type { MigrationStep } from './index.ts'

/**
 * The outbox of all features: the deliveries of alerts, under general names. The kinds `log` and `webhook`
 * are digests of alerts, with a tenant as the recipient. Replicas of the previous release go on through a
 * view of the former name, which PostgreSQL lets them write through.
 */
export const deliveries: MigrationStep = {
  name: '0012-deliveries',
  sql: [
    'alter table alert_deliveries rename to deliveries',
    'alter table deliveries rename column channel to kind',
    'alter table deliveries rename column tenant_id to recipient',
    'alter table deliveries drop constraint alert_deliveries_channel_check',
    'alter index alert_deliveries_pkey rename to deliveries_pkey',
    'alter index alert_deliveries_due rename to deliveries_due',
    'alter index alert_deliveries_newest rename to deliveries_newest',
    `create view alert_deliveries as
       select id, kind as channel, recipient as tenant_id, state, attempts, created_at, due_at, lease_token,
         lease_until, settled_at, status, error
       from deliveries where kind in ('log', 'webhook')`,
  ],
}
