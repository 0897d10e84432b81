import { createHash, randomBytes } from 'node:crypto'
import type { Storage } from '@svc/core'
import type pg from 'pg'
import { LEAK_PATTERNS } from './leaks.ts'

// Storage loads when it is opened: suites on the fakes alone do without the ORM, half of all modules.
const sql = () => import('@svc/core/sql')

/** A database that exists for one test. */
export interface TestDatabase extends AsyncDisposable {
  /** The connection string of the database. */
  readonly url: string
}

/**
 * Makes a database on the server of `serverUrl`, whose user must be allowed to create databases: an empty
 * one, or a copy of `template`. Disposing drops the database. It fails when a row contained a secret in plain
 * text, such as a license key, a session or a private key, and when the rows could not be read.
 */
export async function testDatabase(serverUrl: string, template = 'template0'): Promise<TestDatabase> {
  const name = `svc_test_${randomBytes(8).toString('hex')}`
  await administer(serverUrl, (client) => client.query(`create database ${name} template ${template}`))
  const { href } = databaseUrl(serverUrl, name)
  return {
    url: href,
    [Symbol.asyncDispose]: async () => {
      const leaking = await leakingTables(href)
      await administer(serverUrl, (client) => client.query(`drop database ${name} with (force)`))
      if (leaking.length > 0) throw new Error(`secrets stand in the clear in ${leaking.join(', ')}`)
    },
  }
}

/**
 * Makes a migrated database, as `testDatabase` does. The first call for a schema makes a template database
 * `svc_testing_…`, which stays on the server, so that later calls copy it instead of migrating.
 */
export const migratedDatabase = async (serverUrl: string): Promise<TestDatabase> =>
  testDatabase(serverUrl, await migratedTemplate(serverUrl))

/** Opens storage on a new, migrated database of the server at `serverUrl`; disposing drops the database. */
export async function postgresStorage(serverUrl: string, poolSize = 10): Promise<Storage> {
  const database = await migratedDatabase(serverUrl)
  try {
    const { openStorage } = await sql()
    const storage = await openStorage({ url: database.url, poolSize })
    let disposed: Promise<void> | undefined
    const dispose = async () => {
      await storage[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    }
    return {
      ...storage,
      [Symbol.asyncDispose]: () => {
        disposed ??= dispose()
        return disposed
      },
    }
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  }
}

/** Advisory lock: one process makes the template, the others wait for it. */
const TEMPLATE_LOCK = 7_382_915

async function migratedTemplate(serverUrl: string): Promise<string> {
  const { migrate, SCHEMA } = await sql()
  const template = `svc_testing_${createHash('sha256').update(SCHEMA).digest('hex').slice(0, 32)}`
  await administer(serverUrl, async (client) => {
    if (await hasDatabase(client, template)) return
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
    if (await hasDatabase(client, template)) return
    // It gets its name when it is complete: an interrupted run leaves no template that lacks tables.
    const unfinished = `${template}_unfinished`
    await client.query(`drop database if exists ${unfinished} with (force)`)
    await client.query(`create database ${unfinished} template template0`)
    await migrate(databaseUrl(serverUrl, unfinished).href)
    await client.query(`alter database ${unfinished} rename to ${template}`)
  })
  return template
}

const hasDatabase = async (client: pg.Client, name: string): Promise<boolean> =>
  (await client.query('select from pg_database where datname = $1', [name])).rowCount === 1

function databaseUrl(serverUrl: string, name: string): URL {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url
}

async function clientOf(config: pg.ClientConfig): Promise<pg.Client> {
  const { default: driver } = await import('pg')
  return new driver.Client(config)
}

async function administer(serverUrl: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = await clientOf({ connectionString: serverUrl, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/** Errors of a database that a test has dropped or closed to connections: no rows are left to check. */
const GONE = new Set(['3D000', '55000'])

/** Timeout of the check of one table: 100,000 rows take 1.4 s on an idle machine. */
const LOOK_MS = 60_000

/** Returns tables that contain a secret, and tables that could not be read, which may contain one. */
async function leakingTables(url: string): Promise<readonly string[]> {
  const limits = { connectionTimeoutMillis: 10_000, lock_timeout: 5000, statement_timeout: LOOK_MS }
  const client = await clientOf({ connectionString: url, ...limits })
  try {
    await client.connect()
    const { rows } = await client.query<{ tablename: string }>(
      "select tablename from pg_tables where schemaname = 'public'",
    )
    const leaking: string[] = []
    for (const { tablename } of rows) {
      const look = `select 1 from "${tablename}" t where t::text ~ any($1) limit 1`
      const found = await client.query(look, [LEAK_PATTERNS]).then(
        ({ rowCount }) => (rowCount === 0 ? undefined : tablename),
        (error: unknown) => `${tablename} (not read: ${error instanceof Error ? error.message : error})`,
      )
      if (found !== undefined) leaking.push(found)
    }
    return leaking
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message?: string }
    return GONE.has(code ?? '') ? [] : [`a database that cannot be looked through: ${message}`]
  } finally {
    await client.end()
  }
}
