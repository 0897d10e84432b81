import type { PgliteConnection } from '@mikro-orm/pglite'
import type { Storage } from '@svc/core'
import { migratedDatabase } from '@svc/testing'
import { migrateDriver } from '../../src/platform/database/migrator.ts'
import { type Driver, pgliteDriver, postgresDriver } from '../../src/platform/database/orm.ts'
import { pgliteStatements } from '../../src/platform/database/pglite-statements.ts'
import type { Statement } from '../../src/platform/database/session.ts'
import { sqlStorage } from '../../src/platform/storage/sql-storage.ts'
import { FEATURES } from '../../src/wiring/features.ts'
import { SERVER } from '../platform/storage/backends.ts'

/**
 * A database that is emptied between sequences, which takes milliseconds; making a new one takes a second.
 */
export interface Database extends AsyncDisposable {
  readonly storage: Storage
  empty(): Promise<void>
}

// Truncating this many tables makes as many new files, which costs as much as 40 statements; deleting a few
// rows leaves dead rows for later reads.
const TRUNCATE_EVERY = 20

const TABLES = {
  name: 'conformance-tables',
  text: "select tablename from pg_tables where schemaname = 'public' and tablename <> 'migrations'",
}

/** Makes a PostgreSQL inside this process. */
export async function pgliteDatabase(): Promise<Database> {
  const driver = await pgliteDriver({})
  await migrateDriver(driver)
  return over(await prepared(driver), await tablesOf(driver), 'pglite-memory', async () => {})
}

// Prepares every statement, as a service prepares the hot ones: a sequence of 94 commands takes 150 ms of
// processor time instead of 340. Statements of transactions and the entity manager go the service's own way.
async function prepared(driver: Driver): Promise<Driver> {
  const pglite = await (driver.em().getConnection() as PgliteConnection).getNativeClient()
  await pglite.query('set plan_cache_mode = force_generic_plan')
  const { query } = pgliteStatements(pglite, false)
  const rows = async <Row>(statement: Statement, params: readonly unknown[]) =>
    (await query({ ...statement, values: [...params] })).rows as Row[]
  return { ...driver, rows, hotRows: rows }
}

/** Makes a database on the server of the run. */
export async function postgresDatabase(): Promise<Database> {
  const made = await migratedDatabase(SERVER)
  const driver = await postgresDriver(made.url, 2)
  return over(driver, await tablesOf(driver), 'postgresql', async () => {
    await made[Symbol.asyncDispose]()
  })
}

async function tablesOf(driver: Driver): Promise<readonly string[]> {
  const tables = await driver.rows<{ tablename: string }>(TABLES, [])
  return tables.map(({ tablename }) => tablename)
}

async function over(
  driver: Driver,
  tables: readonly string[],
  kind: 'pglite-memory' | 'postgresql',
  close: () => Promise<void>,
): Promise<Database> {
  const storage = sqlStorage(kind, driver, (await FEATURES.sql()).stores)
  const truncate = { name: 'conformance-truncate', text: `truncate ${tables.join()} cascade` }
  const deletes = tables.map((table, index) => `d${index} as (delete from ${table})`)
  const empty = { name: 'conformance-empty', text: `with ${deletes.join()} select` }
  let emptied = 0
  return {
    storage,
    empty: async () => {
      await driver.rows(emptied % TRUNCATE_EVERY === 0 ? truncate : empty, [])
      emptied += 1
    },
    [Symbol.asyncDispose]: async () => {
      await storage[Symbol.asyncDispose]()
      await close()
    },
  }
}
