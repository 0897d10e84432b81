import { randomBytes } from 'node:crypto'
import type { Storage } from '@svc/core'
import { migrate, openStorage } from '@svc/core/sql'
import pg from 'pg'
import { LEAK_PATTERN } from './leaks.ts'

/** A database that exists for one test. */
export interface TestDatabase extends AsyncDisposable {
  /** Where to connect to it. */
  readonly url: string
}

/**
 * Makes an empty database on the server of `serverUrl`, whose user may create some. Disposing drops it, and fails when a
 * row of it held a license key, a session or a private key, which are kept as digests or not at all.
 */
export async function testDatabase(serverUrl: string): Promise<TestDatabase> {
  const name = `svc_test_${randomBytes(8).toString('hex')}`
  await administer(serverUrl, `create database ${name} template template0`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    [Symbol.asyncDispose]: async () => {
      const leaking = await leakingTables(url.href)
      await administer(serverUrl, `drop database ${name} with (force)`)
      if (leaking.length > 0) throw new Error(`secrets stand in the clear in ${leaking.join(', ')}`)
    },
  }
}

/** Storage on a new, migrated database of the server at `serverUrl`; disposing drops the database. */
export async function postgresStorage(serverUrl: string, poolSize = 10): Promise<Storage> {
  const database = await testDatabase(serverUrl)
  try {
    await migrate(database.url)
    const storage = await openStorage({ url: database.url, poolSize })
    return {
      ...storage,
      [Symbol.asyncDispose]: async () => {
        await storage[Symbol.asyncDispose]()
        await database[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  }
}

async function administer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

// What a test has locked or broken is passed over: other tests leave the same tables alone.
async function leakingTables(url: string): Promise<readonly string[]> {
  const limits = { connectionTimeoutMillis: 10_000, lock_timeout: 500, statement_timeout: 10_000 }
  const client = new pg.Client({ connectionString: url, ...limits })
  // A test that has dropped its database, or barred it, has left nothing to look at.
  const isThere = await client.connect().then(
    () => true,
    () => false,
  )
  try {
    if (!isThere) return []
    const { rows } = await client.query<{ tablename: string }>(
      "select tablename from pg_tables where schemaname = 'public'",
    )
    const leaking: string[] = []
    for (const { tablename } of rows) {
      const look = `select 1 from "${tablename}" t where t::text ~ $1 limit 1`
      const found = await client.query(look, [LEAK_PATTERN]).catch(() => ({ rowCount: 0 }))
      if (found.rowCount) leaking.push(tablename)
    }
    return leaking
  } finally {
    await client.end()
  }
}
