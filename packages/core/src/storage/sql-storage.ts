import type { SqlEntityManager } from '@mikro-orm/sql'
import { CompiledQuery } from 'kysely'
import { SqlAccessSessionsStore } from '../access/access-sessions-store-sql.ts'
import { SqlAgentsStore } from '../agents/agents-store-sql.ts'
import { SqlAlertsStore } from '../alerts/alerts-store-sql.ts'
import { SqlAlertDeliveriesStore } from '../alerts/delivery/alert-deliveries-store-sql.ts'
import { SqlAlertFactsStore } from '../alerts/rules/alert-facts-store-sql.ts'
import { SqlApiTokensStore } from '../api-tokens/api-tokens-store-sql.ts'
import { SqlBillingStore } from '../billing/billing-store-sql.ts'
import { SqlPaymentEventsStore } from '../billing/payment-events-store-sql.ts'
import { SqlBrowserStore } from '../browser/browser-store-sql.ts'
import { SqlConversationsStore } from '../chat/conversations-store-sql.ts'
import { Batch } from '../database/batch.ts'
import type { DiskSpace } from '../database/disk-space.ts'
import { migrationStatus } from '../database/migrator.ts'
import type { Driver } from '../database/orm.ts'
import type { Rows, Session, Statement } from '../database/session.ts'
import { translateStorageErrors } from '../database/statement-retry.ts'
import { SqlDeliveriesStore } from '../deliveries/deliveries-store-sql.ts'
import { SqlDeploymentsStore } from '../deployments/deployments-store-sql.ts'
import { SqlEmailDomainsStore } from '../email/domains/email-domains-store-sql.ts'
import { SqlEmailKeysStore } from '../email/keys/email-keys-store-sql.ts'
import { SqlRemindersStore } from '../email/reminders/reminders-store-sql.ts'
import { SqlEmailMessagesStore } from '../email/sending/email-messages-store-sql.ts'
import { SqlEmailSuppressionsStore } from '../email/sending/email-suppressions-store-sql.ts'
import { SqlGitHooksStore } from '../git/git-hooks-store-sql.ts'
import { SqlImagesStore } from '../images/images-store-sql.ts'
import { SqlJobsStore } from '../jobs/jobs-store-sql.ts'
import { SqlLicensesStore } from '../licenses/licenses-store-sql.ts'
import { SqlRateCounter } from '../limits/rate-counter-sql.ts'
import { SqlMonitorsStore } from '../monitors/monitors-store-sql.ts'
import { SqlNodeSecurityStore } from '../node-security/node-security-store-sql.ts'
import { AuditEntity, SqlAuditStore } from '../operations/audit-store-sql.ts'
import { SqlProvisioningStore } from '../provisioning/provisioning-store-sql.ts'
import { SqlSchedulerStore } from '../scheduler/scheduler-store-sql.ts'
import { SqlSecondFactorsStore } from '../second-factors/second-factors-store-sql.ts'
import { SqlSecretsStore } from '../secrets/secrets-store-sql.ts'
import { SqlSessionsStore } from '../sessions/sessions-store-sql.ts'
import { SqlSurfaceScansStore } from '../surface/surface-scans-store-sql.ts'
import { SqlSurfaceTargetsStore } from '../surface/surface-targets-store-sql.ts'
import { SqlTenantsStore } from '../tenants/tenants-store-sql.ts'
import { SqlTransferKeysStore } from '../transfer-keys/transfer-keys-store-sql.ts'
import { SqlUsersStore } from '../users/users-store-sql.ts'
import { SqlWebhooksStore } from '../webhooks/webhooks-store-sql.ts'
import {
  REQUIRED_TABLES,
  type Storage,
  type StorageHealth,
  type StorageKind,
  type Stores,
} from './storage.ts'

/** The tables that the entity manager serves; the others have hand-written statements only. */
export const ENTITIES = [AuditEntity]

const storesOver = (session: Session): Stores => ({
  accessSessions: new SqlAccessSessionsStore(session),
  agents: new SqlAgentsStore(session),
  alertDeliveries: new SqlAlertDeliveriesStore(session),
  alertFacts: new SqlAlertFactsStore(session),
  alerts: new SqlAlertsStore(session),
  apiTokens: new SqlApiTokensStore(session),
  audit: new SqlAuditStore(session),
  billing: new SqlBillingStore(session),
  browser: new SqlBrowserStore(session),
  conversations: new SqlConversationsStore(session),
  deliveries: new SqlDeliveriesStore(session),
  deployments: new SqlDeploymentsStore(session),
  emailDomains: new SqlEmailDomainsStore(session),
  emailKeys: new SqlEmailKeysStore(session),
  emailMessages: new SqlEmailMessagesStore(session),
  emailSuppressions: new SqlEmailSuppressionsStore(session),
  reminders: new SqlRemindersStore(session),
  images: new SqlImagesStore(session),
  gitHooks: new SqlGitHooksStore(session),
  jobs: new SqlJobsStore(session),
  licenses: new SqlLicensesStore(session),
  monitors: new SqlMonitorsStore(session),
  nodeSecurity: new SqlNodeSecurityStore(session),
  paymentEvents: new SqlPaymentEventsStore(session),
  provisioning: new SqlProvisioningStore(session),
  scheduler: new SqlSchedulerStore(session),
  secondFactors: new SqlSecondFactorsStore(session),
  secrets: new SqlSecretsStore(session),
  sessions: new SqlSessionsStore(session),
  surfaceScans: new SqlSurfaceScansStore(session),
  surfaceTargets: new SqlSurfaceTargetsStore(session),
  tenants: new SqlTenantsStore(session),
  transferKeys: new SqlTransferKeysStore(session),
  users: new SqlUsersStore(session),
  webhooks: new SqlWebhooksStore(session),
})

function withinTransaction(em: SqlEntityManager): Session {
  const rows = async <Row>({ text }: Statement, params: readonly unknown[]) =>
    (await em.getKysely().executeQuery(CompiledQuery.raw(text, [...params]))).rows as Row[]
  const one = <Result>([result]: readonly Result[]) => result as Result
  return {
    rows,
    batched: (parts) => async (item) => one(await parts.run([item], rows)),
    manage: (work) => work(em.fork({ keepTransactionContext: true })),
  }
}

const HEALTH = `select now() as now, array(select t from unnest(array['${REQUIRED_TABLES.join("','")}']) as t
  where to_regclass(t) is null) as missing`

/** Resources of a storage beside its driver, which are released after it. */
export interface Held {
  readonly disk?: DiskSpace
  readonly lock?: AsyncDisposable
  readonly lost?: AbortSignal
  readonly dataKey?: string
  readonly copy?: () => Promise<string>
}

/** The same work however often it is asked for: a storage may be disposed by several owners. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work()
    return done
  }
}

/** All stores over one driver. */
export function sqlStorage(kind: StorageKind, driver: Driver, held: Held = {}): Storage {
  const withRoom = <T>(work: () => Promise<T>): Promise<T> =>
    translateStorageErrors(async () => {
      await held.disk?.require()
      return work()
    })
  const hot: Rows = (statement, params) => withRoom(() => driver.hotRows(statement, params))
  const session: Session = {
    rows: (statement, params) => withRoom(() => driver.rows(statement, params)),
    batched: ({ run, ...parts }) => {
      const batch = new Batch({ ...parts, lanes: driver.lanes, run: (items) => run(items, hot) })
      return (item) => batch.add(item)
    },
    manage: (work) => withRoom(() => work(driver.em())),
  }
  return {
    ...storesOver(session),
    rates: new SqlRateCounter(session),
    kind,
    transaction: (work) =>
      session.manage((em) => em.transactional((inner) => work(storesOver(withinTransaction(inner))))),
    health: () => translateStorageErrors(() => health(driver)),
    ...(kind === 'postgresql' && {
      oldestTransactionSeconds: () => oldestTransactionSeconds(session),
      mayChangeAudit: () => mayChangeAudit(session),
    }),
    disk: async () => held.disk?.room(),
    ...(held.lost === undefined ? {} : { lost: held.lost }),
    ...(held.dataKey === undefined ? {} : { dataKeys: [held.dataKey] }),
    ...(held.copy === undefined ? {} : { copy: held.copy }),
    connections: () => driver.connections(),
    [Symbol.asyncDispose]: once(async () => {
      await driver.close()
      await held.lock?.[Symbol.asyncDispose]()
    }),
  }
}

const OLDEST_TRANSACTION = {
  name: 'oldest-transaction',
  text: `select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)::float8 as seconds
    from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
}

async function oldestTransactionSeconds(session: Session): Promise<number> {
  const [row] = await session.rows<{ seconds: number }>(OLDEST_TRANSACTION, [])
  return row?.seconds ?? 0
}

// The owner of a table may do everything with it, so its rights say nothing.
const MAY_CHANGE_AUDIT = {
  name: 'may-change-audit',
  text: `select coalesce(bool_or(not pg_has_role(c.relowner, 'usage')
      and (has_table_privilege(c.oid, 'update') or has_table_privilege(c.oid, 'delete'))), false) as may
    from pg_class c where c.oid = to_regclass('audit_log')`,
}

async function mayChangeAudit(session: Session): Promise<boolean> {
  const [row] = await session.rows<{ may: boolean }>(MAY_CHANGE_AUDIT, [])
  return row?.may ?? false
}

async function health(driver: Driver): Promise<StorageHealth> {
  const start = performance.now()
  const [row] = await driver.probe<{ now: string | Date; missing: string[] }>(HEALTH)
  const latencyMs = Math.round((performance.now() - start) * 10) / 10
  const migrations = await migrationStatus(driver)
  return { latencyMs, now: new Date(row?.now ?? Number.NaN), missingTables: row?.missing ?? [], migrations }
}
