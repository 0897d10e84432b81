import { Problem } from '../../../kernel/problem.ts'
import { RELEASE } from '../../../package-files.ts'
import type { DatabaseServer } from '../../database/database-server.ts'
import { MIGRATIONS } from '../../database/migrations/index.ts'
import { migrationStatusIn, refuseForeign } from '../../database/migrator.ts'
import { embeddedConnection, type OneConnection, serverConnection } from '../../database/one-connection.ts'
import { translateStorageErrors } from '../../database/statement-retry.ts'
import { openFolder } from '../embedded-folder.ts'
import type { ExportSummary } from './export-file.ts'
import { type ExportParts, exportRows, type Sink } from './export-rows.ts'
import { exportedTables } from './exported-tables.ts'
import { type ImportParts, importRows } from './import-rows.ts'

/** A database whose rows are carried: a server's, or the one of a data folder that no process has open. */
export type ExportPlace = DatabaseServer | { readonly dataDir: string }

/** Further inputs of an export. */
export type ExportOptions = Pick<ExportParts, 'kept' | 'onRows'>

/** Further inputs of an import. */
export type ImportOptions = Pick<ImportParts, 'keep' | 'onRows'>

/** Writes the rows of tables as `exportDatabase` does. */
export const exportTables = (
  names: readonly string[],
  { place, sink, ...options }: ExportOptions & { readonly place: ExportPlace; readonly sink: Sink },
): Promise<ExportSummary> =>
  connected(place, 'svc export', async (connection, release) =>
    exportRows(connection, sink, { ...options, ...release, tables: await exportedTables(connection, names) }),
  )

type Pieces = AsyncIterable<Uint8Array>

/** Fills empty tables as `importDatabase` does. */
export const importTables = (
  names: readonly string[],
  { place, pieces, ...options }: ImportOptions & { readonly place: ExportPlace; readonly pieces: Pieces },
): Promise<ExportSummary> =>
  connected(place, 'svc import', async (connection, release) =>
    importRows(connection, pieces, {
      ...options,
      ...release,
      tables: await exportedTables(connection, names),
    }),
  )

type Release = Pick<ExportParts, 'release' | 'schema'>

const OWN: Release = { release: RELEASE, schema: MIGRATIONS.at(-1)?.name ?? '' }

/**
 * Works over one connection to a database that is migrated to this release.
 * @throws Problem `conflict` when it is not
 */
export async function connected<T>(
  place: ExportPlace,
  name: string,
  work: (connection: OneConnection, release: Release) => Promise<T>,
): Promise<T> {
  return translateStorageErrors(async () => {
    if ('url' in place) {
      await using connection = await serverConnection(place, name)
      await requireMigrated(connection)
      return await work(connection, OWN)
    }
    const { driver, lock } = await openFolder(place.dataDir)
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
