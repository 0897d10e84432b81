import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { openStorage } from '@svc/core/sql'
import { WITNESS_TABLES } from '../witness/witness-tables.ts'
import type { ChaosDatabase, Query, Row } from './database.ts'

/** Creates the embedded database in a folder, which one process at a time may open. */
export async function folderDatabase(folder: string): Promise<ChaosDatabase> {
  const dataDir = join(folder, 'data')
  await (await openStorage({ dataDir }))[Symbol.asyncDispose]()
  const examine = async <T>(work: (query: Query) => Promise<T>): Promise<T> => {
    const database = await PGlite.create({ dataDir: join(dataDir, 'database') })
    try {
      return await work(
        async <R extends Row>(text: string, params: readonly unknown[] = []) =>
          (await database.query<R>(text, [...params])).rows,
      )
    } finally {
      await database.close()
    }
  }
  await examine(async (query) => {
    for (const text of WITNESS_TABLES) await query(text)
  })
  return {
    replicas: 1,
    env: {},
    serverFaults: undefined,
    dataDir: () => dataDir,
    examine,
    [Symbol.asyncDispose]: async () => {},
  }
}
