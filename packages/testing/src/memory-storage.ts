import { type Clock, MemoryRateCounter, type Storage, systemClock } from '@svc/core'
import type { Stores } from '@svc/core/ports'
import { asDatabaseTakesText } from './database-text.ts'
import { memoryAccessSessionsStore } from './hosts/access/access-sessions-store-memory.ts'
import { memoryNodeSecurityStore } from './hosts/node-security/node-security-store-memory.ts'
import { memoryProvisioningStore } from './hosts/provisioning/provisioning-store-memory.ts'
import { memoryTransferKeysStore } from './hosts/transfer-keys/transfer-keys-store-memory.ts'
import { MemoryTables } from './memory-tables.ts'
import { type Run, Turns } from './memory-turns.ts'
import { memoryApiTokensStore } from './people/api-tokens/api-tokens-store-memory.ts'
import { memoryLicensesStore } from './people/licenses/licenses-store-memory.ts'
import { memorySecondFactorsStore } from './people/second-factors/second-factors-store-memory.ts'
import { memorySessionsStore } from './people/sessions/sessions-store-memory.ts'
import { memoryTenantsStore } from './people/tenants/tenants-store-memory.ts'
import { memoryUsersStore } from './people/users/users-store-memory.ts'
import { memoryDeliveriesStore } from './platform/deliveries/deliveries-store-memory.ts'
import { memoryAuditStore } from './platform/operations/audit-store-memory.ts'
import { memorySchedulerStore } from './platform/scheduler/scheduler-store-memory.ts'
import { memorySecretsStore } from './platform/secrets/secrets-store-memory.ts'
import { sendSignals } from './platform/signals/memory-signals.ts'
import { memoryBillingStore } from './reach/billing/billing-store-memory.ts'
import { memoryPaymentEventsStore } from './reach/billing/payment-events-store-memory.ts'
import { memoryBrowserStore } from './reach/browser/browser-store-memory.ts'
import { memoryConversationsStore } from './reach/chat/conversations-store-memory.ts'
import { memoryEmailDomainsStore } from './reach/email/email-domains-store-memory.ts'
import { memoryEmailKeysStore } from './reach/email/email-keys-store-memory.ts'
import { memoryEmailMessagesStore } from './reach/email/email-messages-store-memory.ts'
import { memoryEmailSuppressionsStore } from './reach/email/email-suppressions-store-memory.ts'
import { memoryRemindersStore } from './reach/email/reminders-store-memory.ts'
import { tellEvents } from './reach/webhooks/memory-events.ts'
import { memoryWebhooksStore } from './reach/webhooks/webhooks-store-memory.ts'
import { memoryAlertDeliveriesStore } from './watch/alerts/alert-deliveries-store-memory.ts'
import { memoryAlertFactsStore } from './watch/alerts/alert-facts-store-memory.ts'
import { memoryAlertsStore } from './watch/alerts/alerts-store-memory.ts'
import { memoryLiveStore } from './watch/live/live-store-memory.ts'
import { memoryMonitorsStore } from './watch/monitors/monitors-store-memory.ts'
import { memoryOverviewStore } from './watch/overview/overview-store-memory.ts'
import { memorySurfaceScansStore } from './watch/surface/surface-scans-store-memory.ts'
import { memorySurfaceTargetsStore } from './watch/surface/surface-targets-store-memory.ts'
import { memoryAgentsStore } from './work/agents/agents-store-memory.ts'
import { memoryAppDatabasesStore } from './work/apps/app-databases-store-memory.ts'
import { memoryAppDomainsStore } from './work/apps/app-domains-store-memory.ts'
import { memoryAppsStore } from './work/apps/apps-store-memory.ts'
import { memoryObservedAppsStore } from './work/apps/observed-apps-store-memory.ts'
import { memoryDeploymentsStore } from './work/deployments/deployments-store-memory.ts'
import { memoryGitHooksStore } from './work/git/git-hooks-store-memory.ts'
import { memoryHostUsageStore } from './work/host-usage/host-usage-store-memory.ts'
import { memoryImagesStore } from './work/images/images-store-memory.ts'
import { memoryJobsStore } from './work/jobs/jobs-store-memory.ts'
import { memoryRetentionStore } from './work/retention/retention-store-memory.ts'

/**
 * Storage in plain objects, for tests: nothing to start, nothing to wait for, and as strict as a database.
 * Statements and transactions run one after the other: a statement outside the open transaction waits for its
 * end, and a transaction that fails changes nothing. `clock` stands in for the database's clock if a
 * statement is given no instant; a test passes `tables` to look at all rows.
 */
export function memoryStorage(clock: Clock = systemClock, tables = new MemoryTables()): Storage {
  const turns = new Turns()
  const { signals } = tables
  sendSignals(tables)
  const storage: Storage = {
    ...storesOver(tables, (statement) => turns.take(statement), clock),
    kind: 'fake',
    rates: new MemoryRateCounter(clock),
    transaction: (work) => turns.take(() => undone(tables, () => work(storesOver(tables, atOnce, clock)))),
    hearSignals: async (heard) => signals.hear(heard),
    signal: (text) => turns.take(() => signals.send(text)),
    health: async () => ({
      latencyMs: 0,
      now: clock.now(),
      missingTables: [],
      migrations: { applied: [], pending: [], drifted: [] },
    }),
    dataKeys: [DATA_KEY],
    connections: () => undefined,
    [Symbol.asyncDispose]: () => turns.take(() => {}),
  }
  TABLES.set(storage, tables)
  return storage
}

const TABLES = new WeakMap<Storage, MemoryTables>()

/** The tables behind a fake storage; undefined for any other storage. */
export const tablesOf = (storage: Storage): MemoryTables | undefined => TABLES.get(storage)

const DATA_KEY = `fake:${Buffer.alloc(32, 5).toString('base64')}`

/** Runs a statement as soon as it is called. */
export const atOnce: Run = async (statement) => statement()

/** Returns every store over `tables`; `run` decides when a statement runs. */
export function storesOver(tables: MemoryTables, run: Run, clock: Clock): Stores {
  const time = () => clock.now()
  tellEvents(tables, time)
  return asDatabaseTakesText({
    accessSessions: memoryAccessSessionsStore(tables, run, time),
    agents: memoryAgentsStore(tables, run, time),
    alertDeliveries: memoryAlertDeliveriesStore(tables.alerting, run, time),
    alertFacts: memoryAlertFactsStore(tables, run, time),
    alerts: memoryAlertsStore(tables.alerting, run, time),
    apiTokens: memoryApiTokensStore(tables, run, time),
    appDatabases: memoryAppDatabasesStore(tables, run, time),
    appDomains: memoryAppDomainsStore(tables, run, time),
    observedApps: memoryObservedAppsStore(tables, run, time),
    apps: memoryAppsStore(tables, run, time),
    audit: memoryAuditStore(tables, run, time),
    billing: memoryBillingStore(tables, run, time),
    browser: memoryBrowserStore(tables, run, time),
    conversations: memoryConversationsStore(tables, run, time),
    deliveries: memoryDeliveriesStore(tables, run, time),
    deployments: memoryDeploymentsStore(tables, run, time),
    emailDomains: memoryEmailDomainsStore(tables, run, time),
    emailKeys: memoryEmailKeysStore(tables, run, time),
    emailMessages: memoryEmailMessagesStore(tables, run, time),
    emailSuppressions: memoryEmailSuppressionsStore(tables, run, time),
    reminders: memoryRemindersStore(tables, run, time),
    hostUsage: memoryHostUsageStore(tables, run, time),
    images: memoryImagesStore(tables, run, time),
    gitHooks: memoryGitHooksStore(tables, run, time),
    jobs: memoryJobsStore(tables, run, time),
    licenses: memoryLicensesStore(tables, run, time),
    live: memoryLiveStore(tables, run, time),
    monitors: memoryMonitorsStore(tables, run, time),
    nodeSecurity: memoryNodeSecurityStore(tables, run, time),
    overview: memoryOverviewStore(tables, run, time),
    paymentEvents: memoryPaymentEventsStore(tables, run, time),
    provisioning: memoryProvisioningStore(tables, run, time),
    retention: memoryRetentionStore(tables, run, time),
    scheduler: memorySchedulerStore(tables, run, time),
    secondFactors: memorySecondFactorsStore(tables, run, time),
    secrets: memorySecretsStore(tables, run),
    sessions: memorySessionsStore(tables, run, time),
    surfaceScans: memorySurfaceScansStore(tables, run, time),
    surfaceTargets: memorySurfaceTargetsStore(tables, run, time),
    tenants: memoryTenantsStore(tables, run, time),
    transferKeys: memoryTransferKeysStore(tables, run, time),
    users: memoryUsersStore(tables, run, time),
    webhooks: memoryWebhooksStore(tables, run, time),
  })
}

async function undone<T>(tables: MemoryTables, work: () => Promise<T>): Promise<T> {
  tables.undo.begin()
  try {
    const result = await work()
    tables.undo.keep()
    return result
  } catch (error) {
    tables.undo.undo()
    throw error
  }
}
