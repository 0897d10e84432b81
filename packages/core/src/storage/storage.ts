import type { AccessSessionsStore } from '../access/access-sessions-store.ts'
import type { AgentsStore } from '../agents/agents-store.ts'
import type { AlertsStore } from '../alerts/alerts-store.ts'
import type { AlertDeliveriesStore } from '../alerts/delivery/alert-deliveries-store.ts'
import type { AlertFactsStore } from '../alerts/rules/alert-facts.ts'
import type { ApiTokensStore } from '../api-tokens/api-tokens-store.ts'
import type { BillingStore } from '../billing/billing-store.ts'
import type { PaymentEventsStore } from '../billing/payment-events-store.ts'
import type { BrowserStore } from '../browser/browser-store.ts'
import type { ConversationsStore } from '../chat/conversations-store.ts'
import type { DeliveriesStore } from '../deliveries/deliveries-store.ts'
import type { DeploymentsStore } from '../deployments/deployments-store.ts'
import type { EmailDomainsStore } from '../email/domains/email-domains-store.ts'
import type { EmailKeysStore } from '../email/keys/email-keys-store.ts'
import type { RemindersStore } from '../email/reminders/reminders-store.ts'
import type { EmailMessagesStore } from '../email/sending/email-messages-store.ts'
import type { EmailSuppressionsStore } from '../email/sending/email-suppressions-store.ts'
import type { GitHooksStore } from '../git/git-hooks-store.ts'
import type { ImagesStore } from '../images/images-store.ts'
import type { JobsStore } from '../jobs/jobs-store.ts'
import type { LicensesStore } from '../licenses/licenses-store.ts'
import type { RateCounter } from '../limits/rate-counter.ts'
import type { MonitorsStore } from '../monitors/monitors-store.ts'
import type { NodeSecurityStore } from '../node-security/node-security-store.ts'
import type { AuditStore } from '../operations/audit-store.ts'
import type { ProvisioningStore } from '../provisioning/provisioning-store.ts'
import type { SchedulerStore } from '../scheduler/scheduler-store.ts'
import type { SecondFactorsStore } from '../second-factors/second-factors-store.ts'
import type { SecretsStore } from '../secrets/secrets-store.ts'
import type { SessionsStore } from '../sessions/sessions-store.ts'
import type { SurfaceScansStore } from '../surface/surface-scans-store.ts'
import type { SurfaceTargetsStore } from '../surface/surface-targets-store.ts'
import type { TenantsStore } from '../tenants/tenants-store.ts'
import type { TransferKeysStore } from '../transfer-keys/transfer-keys-store.ts'
import type { UsersStore } from '../users/users-store.ts'
import type { WebhooksStore } from '../webhooks/webhooks-store.ts'

/** One store per feature; a transaction hands out the same set, bound to it. */
export interface Stores {
  readonly accessSessions: AccessSessionsStore
  readonly agents: AgentsStore
  readonly alertDeliveries: AlertDeliveriesStore
  readonly alertFacts: AlertFactsStore
  readonly alerts: AlertsStore
  readonly apiTokens: ApiTokensStore
  readonly audit: AuditStore
  readonly billing: BillingStore
  readonly browser: BrowserStore
  readonly conversations: ConversationsStore
  readonly deliveries: DeliveriesStore
  readonly deployments: DeploymentsStore
  readonly emailDomains: EmailDomainsStore
  readonly emailKeys: EmailKeysStore
  readonly emailMessages: EmailMessagesStore
  readonly emailSuppressions: EmailSuppressionsStore
  readonly reminders: RemindersStore
  readonly images: ImagesStore
  readonly gitHooks: GitHooksStore
  readonly jobs: JobsStore
  readonly licenses: LicensesStore
  readonly monitors: MonitorsStore
  readonly nodeSecurity: NodeSecurityStore
  readonly paymentEvents: PaymentEventsStore
  readonly provisioning: ProvisioningStore
  readonly scheduler: SchedulerStore
  readonly secondFactors: SecondFactorsStore
  readonly secrets: SecretsStore
  readonly sessions: SessionsStore
  readonly surfaceScans: SurfaceScansStore
  readonly surfaceTargets: SurfaceTargetsStore
  readonly tenants: TenantsStore
  readonly transferKeys: TransferKeysStore
  readonly users: UsersStore
  readonly webhooks: WebhooksStore
}

/** The kind of database behind a storage. */
export type StorageKind = 'postgresql' | 'pglite-folder' | 'pglite-memory' | 'fake'

/** Whether the schema is the one this code was written for. */
export interface MigrationStatus {
  readonly applied: readonly string[]
  readonly pending: readonly string[]
  /** Applied with another text than in this code, or unknown to this code and older than its newest. */
  readonly drifted: readonly string[]
  /** Applied by a newer release, and harmless to this one while it runs; absent when there are none. */
  readonly ahead?: readonly string[]
}

/** The result of a readiness probe. */
export interface StorageHealth {
  readonly latencyMs: number
  /** The database's own clock. */
  readonly now: Date
  readonly missingTables: readonly string[]
  readonly migrations: MigrationStatus
}

/** Room on the disk that holds an embedded database. */
export interface DiskRoom {
  readonly freeBytes: number
  /** Bytes that must stay free: with less, work is refused. */
  readonly reservedBytes: number
}

/** All stores of a process, open for as long as it runs. */
export interface Storage extends Stores, AsyncDisposable {
  readonly kind: StorageKind
  /**
   * Runs `work` in one transaction. No network call belongs inside; a failure of `work` undoes all of it.
   */
  transaction<T>(work: (stores: Stores) => Promise<T>): Promise<T>
  /** Rate windows that replicas share. */
  readonly rates: RateCounter
  /**
   * Looks at the database through a connection of its own, so that a busy pool is not taken for an absent
   * one.
   */
  health(): Promise<StorageHealth>
  /**
   * Age of the oldest open transaction of the database, in seconds, among the transactions that our role may
   * see: while it is open, dead rows cannot be cleared away. Absent for an embedded database.
   */
  oldestTransactionSeconds?(): Promise<number>
  /** Whether our role may change the audit log and is not its owner. Absent for an embedded database. */
  mayChangeAudit?(): Promise<boolean>
  /** Room on the disk of a database in a folder; absent or undefined for every other. */
  disk?(): Promise<DiskRoom | undefined>
  /**
   * Aborted when an embedded database has given up, with PostgreSQL's error as the reason: every call is
   * refused as `unavailable` from then on. Committed data is there when a new process opens it again.
   */
  readonly lost?: AbortSignal
  /**
   * Keys for secrets at rest that this storage brings along, as `SERVICE_DATA_KEYS` spells them: an embedded
   * database has one beside its data. They are used after the keys of the settings.
   */
  readonly dataKeys?: readonly string[]
  /**
   * Copies the database as of now into a data folder of its own inside its data folder, and returns the name
   * of that folder, which the caller deletes. Absent for every database that is not in a folder.
   * @throws Problem `unavailable` when the disk has no room for a copy
   */
  copy?(): Promise<string>
  /** Connections of the general pool by state, for the gauge; empty when there is no pool. */
  connections(): Readonly<Record<'used' | 'idle' | 'waiting', number>> | undefined
}

/** Tables without which the service is not ready (spec, GET /healthz). */
export const REQUIRED_TABLES = [
  'admins',
  'agents',
  'jobs',
  'deployments',
  'chat_conversations',
  'tenants',
] as const
