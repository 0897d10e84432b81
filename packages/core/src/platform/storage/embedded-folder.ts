import { ownFolder } from '../database/data-folder.ts'
import { DiskSpace } from '../database/disk-space.ts'
import { lockFolder } from '../database/folder-lock.ts'
import { migrateDriver } from '../database/migrator.ts'
import { type EmbeddedDriver, type EmbeddedSource, pgliteDriver } from '../database/orm.ts'
import { compiledPlainly } from '../database/plain-wasm.ts'
import { databaseIn, forgetCopies } from './folder-copy.ts'

/** A data folder that this process alone has open. */
export interface OpenFolder {
  readonly driver: EmbeddedDriver
  readonly disk: DiskSpace
  /** Released after the driver is closed. */
  readonly lock: AsyncDisposable
}

/**
 * Opens the database of a data folder and migrates it; an absent folder is made.
 * @throws Problem `conflict` when another process has the folder, `forbidden` when it belongs to another
 * user, `unavailable` when its disk is nearly full
 */
export async function openFolder(dataDir: string): Promise<OpenFolder> {
  await ownFolder(dataDir)
  const disk = new DiskSpace(dataDir)
  // The check comes before the lock, whose file needs room as well.
  await disk.require()
  // PGlite has no lock of its own: a second opener silently loses rows.
  const lock = await lockFolder(dataDir, 'stop it, or let it serve and talk to it')
  try {
    await forgetCopies(dataDir)
    const driver = await embeddedDriver({ dataDir: databaseIn(dataDir) })
    return { driver, disk, lock }
  } catch (error) {
    await lock[Symbol.asyncDispose]()
    throw error
  }
}

/** Opens a database inside the process, and brings it to this release. */
export const embeddedDriver = (source: EmbeddedSource): Promise<EmbeddedDriver> =>
  compiledPlainly(async () => migrated(await pgliteDriver(source)))

/** Migrates an embedded database. One that fails to migrate is closed, before the lock on it is released. */
async function migrated(driver: EmbeddedDriver): Promise<EmbeddedDriver> {
  try {
    await migrateDriver(driver)
    return driver
  } catch (error) {
    await driver.close()
    throw error
  }
}
