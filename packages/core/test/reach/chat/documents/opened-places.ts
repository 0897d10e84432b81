import type { Storage } from '@svc/core'
import { openStorage } from '@svc/core/sql'
import { memoryStorage, migratedDatabase, pgliteStorage } from '@svc/testing'
import pg from 'pg'
import { MemoryTable } from '../../../../../testing/src/memory-table.ts'
import { MemoryTables } from '../../../../../testing/src/memory-tables.ts'
import { POSTGRES, SERVER } from '../../../platform/storage/backends.ts'

/** A storage whose rows can be read without its stores. Users dispose the storage before the place. */
export interface OpenedPlace extends AsyncDisposable {
  readonly storage: Storage
  /** Returns every row of every table as JSON; undefined if only the stores can read them. */
  readonly rows: () => Promise<string | undefined>
}

const nothing = async () => {}

async function memory(): Promise<OpenedPlace> {
  const tables = new MemoryTables()
  const rows = async () => JSON.stringify(tables, (_key, value) => rowsOf(value))
  return { storage: memoryStorage(undefined, tables), rows, [Symbol.asyncDispose]: nothing }
}

function rowsOf(value: unknown): unknown {
  if (value instanceof MemoryTable) return value.all()
  return typeof value === 'bigint' ? String(value) : value
}

async function pglite(): Promise<OpenedPlace> {
  return { storage: await pgliteStorage(), rows: async () => undefined, [Symbol.asyncDispose]: nothing }
}

async function postgres(): Promise<OpenedPlace> {
  const database = await migratedDatabase(SERVER)
  return {
    storage: await openStorage({ url: database.url }),
    rows: () => rowsOfDatabase(database.url),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

async function rowsOfDatabase(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query("select tablename from pg_tables where schemaname = 'public'")
    const dumps: unknown[] = []
    for (const { tablename } of rows) {
      dumps.push((await client.query(`select to_jsonb(t) as row from "${tablename}" t`)).rows)
    }
    return JSON.stringify(dumps)
  } finally {
    await client.end()
  }
}

/** Every kind of storage, by its name in titles. */
export const PLACES: readonly (readonly [name: string, open: () => Promise<OpenedPlace>])[] = [
  ['memory', memory],
  ['PGlite', pglite],
  [POSTGRES, postgres],
]
