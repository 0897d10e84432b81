import type { OneConnection } from '../../database/one-connection.ts'

/**
 * The tables that an export carries: all but those that note migrations. A table stands behind those that it
 * refers to, so that rows can be written in this order.
 */
export const CARRIED_TABLES = [
  'tenants',
  'admins',
  'users',
  'api_tokens',
  'sessions',
  'second_factors',
  'licenses',
  'license_calls',
  'audit_log',
  'agents',
  'host_identities',
  'access_sessions',
  'jobs',
  'deployments',
  'job_log_chunks',
  'images',
  'transfer_keys',
  'transfer_uses',
  'git_hooks',
  'git_hook_secrets',
  'git_deliveries',
  'node_security_revisions',
  'as_targets',
  'as_addresses',
  'as_scans',
  'as_findings',
  'monitors',
  'monitor_history',
  'provisioning_orders',
  'provisioning_events',
  'provisioning_reservations',
  'provisioning_budget',
  'provisioning_catalog',
  'provider_credentials',
  'scheduler_tasks',
  'chat_conversations',
  'chat_messages',
  'chat_model_days',
  'email_domains',
  'email_keys',
  'email_messages',
  'email_bodies',
  'email_recipients',
  'email_answers',
  'email_suppressions',
  'email_usage',
  'email_reminders',
  'billing_checkouts',
  'billing_answers',
  'billing_subscriptions',
  'billing_sync_tokens',
  'billing_dunning',
  'payment_events',
  'browser_tokens',
  'browser_runs',
  'alert_watches',
  'alerts',
  'alert_actions',
  'alert_webhooks',
  'alert_mailboxes',
  'webhook_endpoints',
  'webhook_messages',
  'delivery_recipients',
  'deliveries',
  'delivery_attempts',
  'alert_notices',
  'rate_refusals',
  'alert_evaluations',
  'rate_windows',
] as const

/** A column as the database's catalogue describes it. */
export interface Column {
  readonly name: string
  readonly type: string
  /** Whether it is a part of the primary key. */
  readonly isKey: boolean
  /** Whether its order depends on a collation. */
  readonly isText: boolean
}

/** A table with the columns that are written: generated ones follow from them. */
export interface Table {
  readonly name: string
  readonly columns: readonly Column[]
}

const COLUMNS = `select c.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
    coalesce(a.attnum = any(i.indkey), false) as "isKey", a.attcollation <> 0 as "isText"
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    left join pg_index i on i.indrelid = c.oid and i.indisprimary
  where n.nspname = current_schema() and c.relkind = 'r' and c.relname = any(string_to_array($1::text, ' '))
    and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  order by a.attnum`

/** Reads the columns of the carried tables. */
export async function carriedTables(connection: OneConnection): Promise<readonly Table[]> {
  const columns = await connection.rows<Column & { table: string }>(COLUMNS, [CARRIED_TABLES.join(' ')])
  return CARRIED_TABLES.map((name) => ({
    name,
    columns: columns.filter(({ table }) => table === name).map(({ table: _, ...column }) => column),
  }))
}

/** A name as a statement takes it. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
