/** Subpath `@svc/core/sql`: storage on PostgreSQL, or on PostgreSQL inside the process. */

import { randomIds } from './kernel/ids.ts'
import { newDataKey } from './platform/config/data-key.ts'
import { type DatabaseServer, databaseServer } from './platform/database/database-server.ts'
import { diskRoom } from './platform/database/disk-space.ts'
import { DATA_KEY_FILE, folderKey } from './platform/database/folder-key.ts'
import { folderHolder } from './platform/database/folder-lock.ts'
import { MIGRATIONS } from './platform/database/migrations/index.ts'
import {
  checksum,
  MIGRATION_LOCK,
  migrateDriver,
  migrationStatus,
  refuseForeign,
} from './platform/database/migrator.ts'
import { type Driver, postgresDriver, withAdvisoryLock } from './platform/database/orm.ts'
import { translateStorageErrors } from './platform/database/statement-retry.ts'
import { type TextColumn, textColumnsOf } from './platform/database/table-sql.ts'
import {
  type AuditPruneParts,
  type PrunedAudit,
  pruneAudit as prunedAudit,
} from './platform/storage/audit-prune.ts'
import { embeddedDriver, type OpenFolder, openFolder } from './platform/storage/embedded-folder.ts'
import {
  connected,
  type ExportOptions,
  type ExportPlace,
  exportTables,
  type ImportOptions,
  importTables,
} from './platform/storage/export/export.ts'
import type { ExportSummary } from './platform/storage/export/export-file.ts'
import type { Sink } from './platform/storage/export/export-rows.ts'
import { copyFolder } from './platform/storage/folder-copy.ts'
import { sqlStorage } from './platform/storage/sql-storage.ts'
import type { MigrationStatus, Storage } from './platform/storage/storage.ts'
import { FEATURES } from './wiring/features.ts'

export {
  DATA_KEY_FILE,
  type DatabaseServer,
  databaseServer,
  diskRoom,
  type ExportOptions,
  type ExportPlace,
  type ExportSummary,
  folderHolder,
  type ImportOptions,
  type PrunedAudit,
  refuseForeign,
  type TextColumn,
}

/** Places where rows are kept. */
export type StorageSource =
  /** A PostgreSQL server, with at most `poolSize` connections, 10 by default. */
  | (DatabaseServer & { readonly poolSize?: number })
  /**
   * A folder that only this process may open and only its user may enter. It survives a kill of the process,
   * but not a power cut.
   */
  | { readonly dataDir: string }
  /** Memory, which is lost with the process. `snapshot`: a dumped data directory to start from. */
  | { readonly memory: true; readonly snapshot?: Blob }

const DEFAULT_POOL = 10

/**
 * Opens storage. An embedded database is migrated at once, since no other process can do it; a server only by
 * `svc migrate` or `migrate`.
 * @throws Problem `conflict` when another process has the folder, `forbidden` when it belongs to another
 * user, `unavailable` when its disk is nearly full
 */
export async function openStorage(source: StorageSource): Promise<Storage> {
  const { stores } = await FEATURES.sql()
  if ('url' in source) {
    const { poolSize = DEFAULT_POOL } = source
    const driver = await translateStorageErrors(() => postgresDriver(source, poolSize))
    const pooling = () => translateStorageErrors(driver.pooling)
    return sqlStorage('postgresql', driver, stores, { pooling })
  }
  if ('memory' in source) {
    const driver = await embeddedDriver(source)
    return sqlStorage('pglite-memory', driver, stores, {
      lost: driver.lost,
      dataKey: newDataKey('memory'),
    })
  }
  const { dataDir } = source
  const { driver, disk, lock } = await openFolder(dataDir)
  const dataKey = await keyOf(dataDir, { driver, lock })
  const copy = () => copyFolder(dataDir)
  return sqlStorage('pglite-folder', driver, stores, { disk, lock, lost: driver.lost, dataKey, copy })
}

async function keyOf(
  dataDir: string,
  { driver, lock }: Pick<OpenFolder, 'driver' | 'lock'>,
): Promise<string> {
  try {
    return await folderKey(dataDir)
  } catch (error) {
    await driver.close()
    await lock[Symbol.asyncDispose]()
    throw error
  }
}

/** Returns the columns that can hold text, by table. */
export const textColumns = async (): Promise<readonly TextColumn[]> =>
  (await FEATURES.sql()).entities.flatMap(textColumnsOf)

const tableNames = async () => (await FEATURES.sql()).entities.map(({ meta }) => meta.tableName)

/**
 * Writes everything that a database holds, as of one moment, as a text in pieces. Secrets go along as the
 * database holds them: most as digests, webhooks' and one-time codes' as they are.
 * @throws Problem `conflict` when the database is not migrated to this release
 */
export const exportDatabase = async (
  place: ExportPlace,
  sink: Sink,
  options: ExportOptions = {},
): Promise<ExportSummary> => exportTables(await tableNames(), { ...options, place, sink })

/**
 * Fills an empty, migrated database with the rows of an export; a data folder that is absent is made. After
 * any failure the database is as empty as before.
 * @throws Problem `conflict` when the database has rows, is not migrated to this release, or another release
 * wrote the file; `invalid-input` when the file is cut or changed
 */
export const importDatabase = async (
  place: ExportPlace,
  pieces: AsyncIterable<Uint8Array>,
  options: ImportOptions = {},
): Promise<ExportSummary> => importTables(await tableNames(), { ...options, place, pieces })

/**
 * Writes old entries of the audit log to an archive and removes them; the role has to own the tables.
 * @throws Problem `invalid-input` for a time of less than 90 days ago
 */
export const pruneAudit = (place: ExportPlace, parts: Omit<AuditPruneParts, 'ids'>): Promise<PrunedAudit> =>
  connected(place, 'svc audit prune', (connection) => prunedAudit(connection, { ...parts, ids: randomIds() }))

/** The schema of this release as a text: two releases with the same text can read each other's snapshots. */
export const SCHEMA: string = MIGRATIONS.map((step) => `${step.name} ${checksum(step)}`).join('\n')

/**
 * Dumps an empty, migrated database. Passed as `snapshot`, it makes opening storage in memory several times
 * faster, which helps callers that open many.
 */
export async function embeddedSnapshot(): Promise<Blob> {
  const driver = await embeddedDriver({})
  try {
    return await driver.dump()
  } finally {
    await driver.close()
  }
}

/**
 * Migrates a PostgreSQL server. Safe when several replicas call it at once: one migrates, the others wait and
 * find nothing left to do.
 * @throws Problem `conflict` when the database has drifted or is ahead of this release
 */
export const migrate = async (server: string | DatabaseServer): Promise<MigrationStatus> =>
  (await migratedUnderLock(server, true)) as MigrationStatus

/**
 * Migrates as `migrate` does, but does not wait: returns undefined without any change while another process
 * migrates.
 * @throws Problem `conflict` as `migrate` does
 */
export const migrateUnlessUnderWay = (
  server: string | DatabaseServer,
): Promise<MigrationStatus | undefined> => migratedUnderLock(server, false)

const migratedUnderLock = (
  server: string | DatabaseServer,
  wait: boolean,
): Promise<MigrationStatus | undefined> =>
  withDriver(server, async (driver) => {
    // A pooler that does not keep sessions is refused here: it would keep the lock, and give it to others.
    await driver.probe('select 1')
    return withAdvisoryLock(server, { key: MIGRATION_LOCK, wait }, () => migrateDriver(driver))
  })

/** Returns the applied, pending and drifted migrations of a PostgreSQL server; changes nothing. */
export const migrationStatusOf = (server: string | DatabaseServer): Promise<MigrationStatus> =>
  withDriver(server, (driver) => migrationStatus(driver))

/** Returns the statements that `migrate` would run, by migration. */
export async function migrationPlan(
  server: string | DatabaseServer,
): Promise<readonly { name: string; sql: readonly string[] }[]> {
  const { pending } = await migrationStatusOf(server)
  return MIGRATIONS.filter((step) => pending.includes(step.name))
}

async function withDriver<T>(
  server: string | DatabaseServer,
  work: (driver: Driver) => Promise<T>,
): Promise<T> {
  return translateStorageErrors(async () => {
    const driver = await postgresDriver(server, 1)
    return work(driver).finally(() => driver.close())
  })
}
