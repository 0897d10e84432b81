import { Problem } from '../../kernel/problem.ts'
import type { DeliveriesStore } from '../deliveries/deliveries-store.ts'
import type { RateCounter } from '../limits/rate-counter.ts'
import type { AuditStore } from '../operations/audit-store.ts'
import type { SchedulerStore } from '../scheduler/scheduler-store.ts'
import type { SecretsStore } from '../secrets/secrets-store.ts'

/**
 * The stores of all features; a transaction hands out the same set, bound to it. Each feature adds its own
 * beside their port (`declare module`), so that this file knows none.
 */
export interface Stores {
  readonly audit: AuditStore
  readonly deliveries: DeliveriesStore
  readonly scheduler: SchedulerStore
  readonly secrets: SecretsStore
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

/** The effect of poolers on the connections of a server. */
export interface Pooling {
  /** Whether sessions last as long as their connections, where they have to. */
  readonly isKept: boolean
  /** Names of time limits that are not in force. */
  readonly lacking: readonly string[]
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
   * Hears the signals of the database until it is disposed, `lost` when the connection breaks. A signal is
   * heard after the transaction that sent it.
   */
  hearSignals(heard: (text: string) => void, lost: () => void): Promise<AsyncDisposable>
  /** Sends a signal to all that listen, in this process too. */
  signal(text: string): Promise<void>
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
  /** Tries now which effect poolers have on our connections. Absent for an embedded database. */
  pooling?(): Promise<Pooling>
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

/** Faults of poolers that an operator has to mend before the service can work. */
export const POOLING_FAULTS = {
  notKept:
    'the pooler behind DATABASE_URL does not keep sessions: use session pooling, or set DATABASE_SESSION_URL',
  elsewhere:
    'DATABASE_SESSION_URL leads to a pooler that does not keep sessions, or to another database than DATABASE_URL: name the database itself',
  notPrepared:
    'the pooler behind DATABASE_URL loses prepared statements: use session pooling, or PgBouncer 1.21 or newer with max_prepared_statements',
} as const
export type PoolingFault = keyof typeof POOLING_FAULTS

const RETRY_SECONDS = 2

/** The refusal to work behind a pooler. */
export const refusedPooling = (fault: PoolingFault): Problem =>
  new Problem('unavailable', { detail: POOLING_FAULTS[fault], retryAfterSeconds: RETRY_SECONDS })

/** Whether an error is a refusal to work behind a pooler. */
export const isRefusedPooling = (error: unknown): boolean =>
  error instanceof Problem && Object.values<unknown>(POOLING_FAULTS).includes(error.data.detail)
