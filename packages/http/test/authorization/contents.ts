import type { Storage } from '@svc/core'
import { openStorage } from '@svc/core/sql'
import { type FakeClock, memoryStorage, migratedDatabase } from '@svc/testing'
import pg from 'pg'
import { MemoryTable } from '../../../testing/src/memory-table.ts'
import { MemoryTables } from '../../../testing/src/memory-tables.ts'

/** A storage whose rows can all be read without its stores. */
export interface Glass extends AsyncDisposable {
  readonly storage: Storage
  /** Every row of every table but `except`, by table. If two texts are equal, nothing changed in between. */
  contents(except?: Except): Promise<string>
  /** Drops every table but one, so that all work on other tables fails unexpectedly. For databases only. */
  dropAllBut?(table: string): Promise<void>
}

const TABLES = { audit: 'audit_log', licenseCalls: 'license_calls' } as const
/**
 * The log of changes, which also has those that were refused; and the count of a license's own calls, which
 * shows operators the calls that closing its key would refuse.
 */
export type Except = keyof typeof TABLES

/** Opens such a storage with the clock of the plane. */
export type OpenGlass = (clock: FakeClock) => Promise<Glass>

const written = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? String(each) : each), 1)

function rowsOf(tables: object, except: string | undefined): Record<string, unknown> {
  const found = Object.entries(tables)
    .filter(([name]) => name !== 'undo' && name !== except)
    .map(([name, table]) => [
      name,
      table instanceof MemoryTable ? table.all() : rowsOf(table as object, except),
    ])
  return Object.fromEntries(found)
}

/** Opens the in-memory fake. */
export const memoryGlass: OpenGlass = async (clock) => {
  const tables = new MemoryTables()
  const storage = memoryStorage(clock, tables)
  return {
    storage,
    contents: async (except) => written(rowsOf(tables, except)),
    [Symbol.asyncDispose]: async () => {},
  }
}

/** Creates a new database on the PostgreSQL server of the test run. */
export const postgresGlass: OpenGlass = async () => {
  const database = await migratedDatabase(process.env.SVC_TEST_POSTGRES ?? '')
  const reader = new pg.Client({ connectionString: database.url })
  await reader.connect()
  return {
    storage: await openStorage({ url: database.url, poolSize: 20 }),
    contents: (except) => dumped(reader, except),
    dropAllBut: async (kept) => {
      for (const table of await tablesOf(reader))
        if (table !== kept) await reader.query(`drop table if exists "${table}" cascade`)
    },
    // The plane has already disposed its storage.
    [Symbol.asyncDispose]: async () => {
      await reader.end()
      await database[Symbol.asyncDispose]()
    },
  }
}

async function tablesOf(reader: pg.Client): Promise<readonly string[]> {
  const { rows } = await reader.query<{ tablename: string }>(
    "select tablename from pg_tables where schemaname = 'public' order by 1",
  )
  return rows.map(({ tablename }) => tablename)
}

async function dumped(reader: pg.Client, except: Except | undefined): Promise<string> {
  const tables = (await tablesOf(reader)).filter((name) => name !== (except && TABLES[except]))
  const parts = tables.map((name) => `select '${name}' as name, t::text as row from "${name}" t`)
  const { rows } = await reader.query(`${parts.join(' union all ')} order by 1, 2`)
  return written(rows)
}
