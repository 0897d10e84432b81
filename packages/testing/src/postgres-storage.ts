import { randomBytes } from 'node:crypto'
import type { Storage } from '@svc/core'
import { migrate, openStorage } from '@svc/core/sql'
import pg from 'pg'

/** A database that exists for one test. */
export interface TestDatabase extends AsyncDisposable {
  /** Where to connect to it. */
  readonly url: string
}

/** Makes an empty database on the server of `serverUrl`, whose user may create some; disposing drops it. */
export async function testDatabase(serverUrl: string): Promise<TestDatabase> {
  const name = `svc_test_${randomBytes(8).toString('hex')}`
  await administer(serverUrl, `create database ${name} template template0`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    [Symbol.asyncDispose]: () => administer(serverUrl, `drop database ${name} with (force)`),
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
