import { isLiveSession } from '../../people/sessions/session-tables-sql.ts'
import {
  isOwnedBy,
  type Ownership,
  ofLicenses,
  ofLicensesOrTenants,
} from '../../platform/database/scoped-statement.ts'
import { at } from '../../platform/database/statement-time.ts'
import { JOINED, OWNERSHIP, status } from '../alerts/alerts-store-sql.ts'
import { LIVE_ROWS, LIVE_TICK_SECONDS, type LiveSubject } from './live-store.ts'

/** SQL of a topic's version by the kind of the scope; staff alone look at one without `tenant`. */
interface Topic {
  readonly platform: string
  readonly tenant?: string
}

const NOW = at('$5')
const SILENT = `coalesce(t.last_heartbeat < ${NOW} - make_interval(secs => $4), false)`
const TICK = `floor(extract(epoch from ${NOW}) / ${LIVE_TICK_SECONDS})::text`
/** A row's version: every write to a row makes another of it, in another transaction or another place. */
const ROW = `t.xmin::text || ' ' || t.ctid::text`

/** Returns the condition that a row belongs to the tenant who asks. */
const tenants = (ownership: Ownership): string =>
  isOwnedBy('tenant', ownership).replaceAll('$1', 'asked.owner')
const LICENSES = `(select id from licenses where tenant_id = asked.owner)`

/** Joins rows, each a text `v`, to one version. */
const version = (...parts: readonly string[]): string =>
  `(select coalesce(md5(string_agg(r.v, ',' order by r.v)), '') from (${parts.join(' union all ')}) r (v))`

/** Rows of a table, in the order of a list. */
interface Listed {
  readonly from: string
  readonly order: string
}

const newest = ({ from, order }: Listed, condition = 'true'): string =>
  `(select ${ROW} from ${from} t where ${condition} order by ${order} limit ${LIVE_ROWS})`
/** The newest rows of each table, for staff alone. */
const staff = (...tables: readonly Listed[]): Topic => ({
  platform: version(...tables.map((each) => newest(each))),
})
/** The newest rows of each table, all of them or a tenant's. */
const shared = (owned: Ownership, ...tables: readonly Listed[]): Topic => ({
  ...staff(...tables),
  tenant: version(...tables.map((each) => newest(each, tenants(owned)))),
})
const byId = (from: string): Listed => ({ from, order: 't.id desc' })
const OWN = ofLicenses('t.license_id')
const JOB = `concat_ws(' ', t.id, t.state, t.claimed_by, extract(epoch from t.started_at), extract(epoch from t.finished_at),
  extract(epoch from t.cancel_requested_at))`
const HELD = 't.finished_at is null and t.claimed_by is not null'
/** Jobs that are new or that a host has, and the time while there are any of the latter: they show it. */
const jobsWhere = (condition: string): readonly string[] => [
  `(select ${JOB} from jobs t where ${condition} order by t.id desc limit ${LIVE_ROWS})`,
  `(select ${JOB} from jobs t where ${condition} and ${HELD})`,
  `(select ${TICK} where exists (select from jobs t where ${condition} and ${HELD}))`,
]
const eachLicense = (parts: readonly string[]): string =>
  version(
    `select each.v from licenses l, lateral (${parts.join(' union all ')}) each (v) where l.tenant_id = asked.owner`,
  )
/** The version of the jobs of the license that is asked for, if the scope has it. */
const licenseJobs = (isOwned: string): string =>
  `(select ${version(...jobsWhere('t.license_id = asked.key'))} from licenses l where l.id = asked.key and ${isOwned})`

// A sum needs no order, which all hosts of a large fleet would take long to be brought into.
const hosts = (
  condition: string,
): string => `(select concat_ws(' ', count(*), floor(extract(epoch from max(t.last_heartbeat))
    / ${LIVE_TICK_SECONDS}), sum(hashtextextended(concat_ws(' ', t.license_id, t.fingerprint, t.hostname, t.label, t.state,
      t.version, t.drained_at is null, ${SILENT}, t.capture_success, t.drill_pass), 0)))
  from agents t where ${condition})`
const host = (
  isOwned: string,
): string => `(select string_agg(concat_ws(' ', ${ROW}, ${SILENT}), ',' order by t.fingerprint)
  from agents t where t.license_id = split_part(asked.key, ' ', 1)
    and 'agt_' || left(t.fingerprint, 12) = substr(asked.key, strpos(asked.key, ' ') + 1)
    and ${isOwned})`
const job = (
  isOwned: string,
): string => `(select concat_ws(' ', ${JOB}, t.attempt, case when t.finished_at is null
    then ${TICK} end) from jobs t where t.id = asked.key and ${isOwned})`

const ALERT = `select concat_ws(' ', a.xmin, a.ctid, ${status(NOW)}) ${JOINED}`
const alerts = (isOwned: string, isActionOwned: string, isOfTenant: string): string =>
  version(
    `(${ALERT} where ${isOwned} and a.resolved_at is null)`,
    `(${ALERT} where ${isOwned} order by a.id desc limit ${LIVE_ROWS})`,
    `(select t.id from alert_actions t where ${isActionOwned} order by t.id desc limit ${LIVE_ROWS})`,
    ...['alert_webhooks', 'alert_mailboxes'].map(
      (name) => `select ${ROW} from ${name} t where ${isOfTenant}`,
    ),
  )

const observed = (
  condition: string,
): string => `(select concat_ws(' ', t.license_id, t.fingerprint, t.app, t.state, t.detail)
  from observed_apps t where ${condition} order by 1 limit ${10 * LIVE_ROWS})`
// A change of a variable is one of its app.
const APP_TABLES: readonly Listed[] = [
  byId('apps'),
  byId('app_domains'),
  byId('app_databases'),
  byId('deployments'),
]
const apps = (isTenants: boolean): string =>
  version(
    ...APP_TABLES.map((each) => newest(each, isTenants ? tenants(OWN) : 'true')),
    observed(isTenants ? tenants(OWN) : 'true'),
  )

const session = `(select concat_ws(' ', u.id, u.role, coalesce(u.tenant_id, '')) from sessions s join (
    select id, role, null as tenant_id, disabled_at from admins
    union all select id, role, tenant_id, disabled_at from users) u on u.id = s.user_id
  where s.digest = asked.key and ${isLiveSession(NOW)} and u.disabled_at is null)`

/** Things that get deliveries, and the newest deliveries of each. */
function receivers(from: string, owned: Ownership, sent: string): Topic {
  const topic = (condition: string) =>
    version(
      newest(byId(from), condition),
      `(select each.v from (select t.id from ${from} t where ${condition} order by t.id desc limit ${LIVE_ROWS}) receiver,
        lateral (select ${ROW} from ${sent} desc limit ${DELIVERIES}) each (v))`,
    )
  return { platform: topic('true'), tenant: topic(tenants(owned)) }
}
/** Deliveries of each receiver that are looked at. */
const DELIVERIES = 10

/** SQL of every topic. */
export const TOPICS: Readonly<Record<LiveSubject['topic'], Topic>> = {
  fleet: { platform: hosts('true'), tenant: hosts(tenants(OWN)) },
  apps: { platform: apps(false), tenant: apps(true) },
  jobs: { platform: version(...jobsWhere('true')), tenant: eachLicense(jobsWhere('t.license_id = l.id')) },
  images: shared(OWN, byId('images')),
  alerts: {
    platform: alerts('true', 'true', 'true'),
    tenant: alerts(
      tenants(OWNERSHIP),
      `t.alert_id in (select a.id from alerts a where ${tenants(OWNERSHIP)})`,
      't.tenant_id = asked.owner',
    ),
  },
  monitors: shared(ofLicensesOrTenants('t.license_id', 't.tenant_id'), byId('monitors')),
  surface: shared(
    OWN,
    { from: 'as_targets', order: 't.created_at desc' },
    { from: 'as_findings', order: 't.last_seen_at desc' },
    { from: 'as_scans', order: 't.created_at desc' },
  ),
  'git-hooks': receivers(
    'git_hooks',
    OWN,
    'git_deliveries t where t.hook_id = receiver.id order by t.received_at',
  ),
  webhooks: receivers(
    'webhook_endpoints',
    ofLicensesOrTenants('t.license_id', 't.tenant_id'),
    "deliveries t where t.kind = 'webhook' and t.recipient = receiver.id order by t.created_at",
  ),
  'email-domains': shared(ofLicenses('t.owner'), byId('email_domains')),
  'email-keys': shared(ofLicenses('t.owner'), byId('email_keys')),
  'email-queue': staff(byId('email_messages')),
  'email-suppressions': staff({ from: 'email_suppressions', order: 't.created_at desc' }),
  licenses: {
    ...staff(byId('licenses')),
    tenant: version(newest(byId('licenses'), 't.tenant_id = asked.owner')),
  },
  tenants: { ...staff(byId('tenants')), tenant: version(newest(byId('tenants'), 't.id = asked.owner')) },
  users: staff(byId('admins'), byId('users'), { from: 'second_factors', order: 't.user_id' }),
  tokens: staff(byId('api_tokens')),
  transfer: shared(OWN, byId('transfer_keys')),
  security: staff({ from: 'node_security_revisions', order: 't.updated_at desc' }),
  ssh: shared(OWN, { from: 'access_sessions', order: 't.created_at desc, t.id desc' }),
  'billing-events': staff({ from: 'payment_events', order: 't.received_at desc' }),
  'provision-orders': staff(byId('provisioning_orders')),
  'provision-catalog': staff({ from: 'provisioning_catalog', order: 't.plan' }),
  'provision-credentials': staff({ from: 'provider_credentials', order: 't.provider' }),
  chat: staff({ from: 'chat_conversations', order: 't.last_message_at desc' }),
  browser: staff({ from: 'browser_runs', order: 't.created_at desc' }),
  'browser-tokens': staff(byId('browser_tokens')),
  audit: staff(byId('audit_log')),
  host: { platform: host('true'), tenant: host(tenants(OWN)) },
  job: { platform: job('true'), tenant: job(`t.license_id in ${LICENSES}`) },
  'license-jobs': { platform: licenseJobs('true'), tenant: licenseJobs('l.tenant_id = asked.owner') },
  session: { platform: session },
}
