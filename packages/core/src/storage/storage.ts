import type { AgentsStore } from '../agents/agents-store.ts'
import type { AlertDeliveriesStore } from '../alerts/alert-deliveries-store.ts'
import type { AlertFactsStore } from '../alerts/alert-facts.ts'
import type { AlertsStore } from '../alerts/alerts-store.ts'
import type { ConversationsStore } from '../chat/conversations-store.ts'
import type { DeploymentsStore } from '../deployments/deployments-store.ts'
import type { JobsStore } from '../jobs/jobs-store.ts'
import type { LicensesStore } from '../licenses/licenses-store.ts'
import type { RateCounter } from '../limits/rate-counter.ts'
import type { MonitorsStore } from '../monitors/monitors-store.ts'
import type { AuditStore } from '../operations/audit-store.ts'
import type { SchedulerStore } from '../scheduler/scheduler-store.ts'
import type { SecondFactorsStore } from '../second-factors/second-factors-store.ts'
import type { SessionsStore } from '../sessions/sessions-store.ts'
import type { TenantsStore } from '../tenants/tenants-store.ts'
import type { UsersStore } from '../users/users-store.ts'

/** One store per feature; a transaction hands out the same set, bound to it. */
export interface Stores {
  readonly agents: AgentsStore
  readonly alertDeliveries: AlertDeliveriesStore
  readonly alertFacts: AlertFactsStore
  readonly alerts: AlertsStore
  readonly audit: AuditStore
  readonly conversations: ConversationsStore
  readonly deployments: DeploymentsStore
  readonly jobs: JobsStore
  readonly licenses: LicensesStore
  readonly monitors: MonitorsStore
  readonly scheduler: SchedulerStore
  readonly secondFactors: SecondFactorsStore
  readonly sessions: SessionsStore
  readonly tenants: TenantsStore
  readonly users: UsersStore
}

/** Where the rows live. */
export type StorageKind = 'postgresql' | 'pglite-folder' | 'pglite-memory' | 'fake'

/** Whether the schema is the one this code was written for. */
export interface MigrationStatus {
  readonly applied: readonly string[]
  readonly pending: readonly string[]
  /** Applied with another text than this code has, or unknown to it and older than its newest. */
  readonly drifted: readonly string[]
  /** Applied by a newer release, and harmless to this one while it runs; absent when there are none. */
  readonly ahead?: readonly string[]
}

/** What a readiness probe learns. */
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
  /** What is kept free: with less, work is refused. */
  readonly reservedBytes: number
}

/** Everything that is kept, over the process's life. */
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
   * How long the oldest open transaction of the database has been open, in seconds, of those that our role
   * may see: what ended since cannot be cleared away. Absent for an embedded database, which is nobody
   * else's.
   */
  oldestTransactionSeconds?(): Promise<number>
  /** Room on the disk of a database in a folder; absent or undefined for every other. */
  disk?(): Promise<DiskRoom | undefined>
  /**
   * Aborted when an embedded database has given up, with PostgreSQL's error as the reason: every call is
   * refused as `unavailable` from then on. What was committed is there when it is opened again, by a new
   * process.
   */
  readonly lost?: AbortSignal
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
