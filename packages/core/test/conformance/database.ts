import type { Storage } from '@svc/core'
import { migrate } from '@svc/core/sql'
import { testDatabase } from '@svc/testing'
import { migrateDriver } from '../../src/storage/migrator.ts'
import { type Driver, pgliteDriver, postgresDriver } from '../../src/storage/orm.ts'
import { ENTITIES, sqlStorage } from '../../src/storage/sql-storage.ts'
import { SERVER } from '../storage/backends.ts'

/** A database that is emptied between sequences, which takes milliseconds, and never made anew, which takes a second. */
export interface Database extends AsyncDisposable {
  readonly storage: Storage
  empty(): Promise<void>
}

const TABLES =
  'tenants, licenses, admins, users, sessions, audit_log, agents, jobs, job_log_chunks, deployments, scheduler_tasks'
const EMPTY = { name: 'conformance-empty', text: `truncate ${TABLES} cascade` }

/** PostgreSQL inside this process. */
export async function pgliteDatabase(): Promise<Database> {
  const driver = await pgliteDriver({}, ENTITIES)
  await migrateDriver(driver)
  return over(driver, 'pglite-memory', async () => {})
}

/** A database on the server of the run. */
export async function postgresDatabase(): Promise<Database> {
  const made = await testDatabase(SERVER)
  await migrate(made.url)
  return over(await postgresDriver(made.url, 2, ENTITIES), 'postgresql', async () => {
    await made[Symbol.asyncDispose]()
  })
}

function over(driver: Driver, kind: 'pglite-memory' | 'postgresql', close: () => Promise<void>): Database {
  const storage = sqlStorage(kind, driver)
  return {
    storage,
    empty: async () => {
      await driver.rows(EMPTY, [])
    },
    [Symbol.asyncDispose]: async () => {
      await storage[Symbol.asyncDispose]()
      await close()
    },
  }
}
