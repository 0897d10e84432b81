import type { DatabaseServer } from '../../database/database-server.ts'
import { MIGRATIONS } from '../../database/migrations/index.ts'
import { migrationStatusIn, refuseForeign } from '../../database/migrator.ts'
import { embeddedConnection, type OneConnection, serverConnection } from '../../database/one-connection.ts'
import { translateStorageErrors } from '../../database/statement-retry.ts'
import { Problem } from '../../problem.ts'
import { RELEASE } from '../../version.ts'
import { openFolder } from '../embedded-folder.ts'
import { carriedTables } from './carried-tables.ts'
import { type ExportParts, exportRows, type Sink } from './export-rows.ts'
import { type ImportParts, importRows } from './import-rows.ts'
import type { Transfer } from './transfer-file.ts'

/** A database whose rows are carried: a server's, or the one of a data folder that no process has open. */
export type TransferPlace = DatabaseServer | { readonly dataDir: string }

/** Further inputs of an export. */
export type ExportOptions = Pick<ExportParts, 'kept' | 'onRows'>

/** Further inputs of an import. */
export type ImportOptions = Pick<ImportParts, 'keep' | 'onRows'>

/**
 * Writes everything that a database holds, as of one moment, as a text in pieces. Secrets go along as the
 * database holds them: most as digests, webhooks' and one-time codes' as they are.
 * @throws Problem `conflict` when the database is not migrated to this release
 */
export const exportDatabase = (
  place: TransferPlace,
  sink: Sink,
  options: ExportOptions = {},
): Promise<Transfer> =>
  connected(place, 'svc export', async (connection, release) =>
    exportRows(connection, sink, { ...options, ...release, tables: await carriedTables(connection) }),
  )

/**
 * Fills an empty, migrated database with the rows of an export; a data folder that is absent is made. After
 * any failure the database is as empty as before.
 * @throws Problem `conflict` when the database has rows, is not migrated to this release, or another release
 * wrote the file; `invalid-input` when the file is cut or changed
 */
export const importDatabase = (
  place: TransferPlace,
  pieces: AsyncIterable<Uint8Array>,
  options: ImportOptions = {},
): Promise<Transfer> =>
  connected(place, 'svc import', async (connection, release) =>
    importRows(connection, pieces, { ...options, ...release, tables: await carriedTables(connection) }),
  )

type Release = Pick<ExportParts, 'release' | 'schema'>

const OWN: Release = { release: RELEASE, schema: MIGRATIONS.at(-1)?.name ?? '' }

async function connected<T>(
  place: TransferPlace,
  name: string,
  work: (connection: OneConnection, release: Release) => Promise<T>,
): Promise<T> {
  return translateStorageErrors(async () => {
    if ('url' in place) {
      await using connection = await serverConnection(place, name)
      await requireMigrated(connection)
      return await work(connection, OWN)
    }
    const { driver, lock } = await openFolder(place.dataDir, [])
    await using _ = lock
    await using connection = embeddedConnection(driver)
    return await work(connection, OWN)
  })
}

async function requireMigrated(connection: OneConnection): Promise<void> {
  const status = await migrationStatusIn((text) => connection.rows(text))
  refuseForeign(status)
  if (status.pending.length === 0) return
  throw new Problem('conflict', { detail: 'the database is not migrated to this release: run svc migrate' })
}
