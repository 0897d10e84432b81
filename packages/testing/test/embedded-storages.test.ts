import { describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { buildTenant, pgliteStorage, postgresStorage, testDatabase } from '@svc/testing'
import pg from 'pg'

const SERVER = process.env.SVC_TEST_POSTGRES ?? ''

async function databasesNamed(name: string): Promise<number> {
  const client = new pg.Client({ connectionString: SERVER })
  await client.connect()
  const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
  await client.end()
  return rowCount ?? 0
}

describe('storages for tests', () => {
  it('each pgliteStorage is a migrated database of its own', async () => {
    await using one = await pgliteStorage()
    await using other = await pgliteStorage()
    expect(one.kind).toBe('pglite-memory')
    await one.tenants.add(buildTenant())
    expect(await other.tenants.list(PLATFORM)).toEqual([])
    expect(await other.health()).toMatchObject({
      missingTables: [],
      migrations: { pending: [], drifted: [] },
    })
  })

  it('each postgresStorage is a migrated database of its own', async () => {
    await using one = await postgresStorage(SERVER)
    await using other = await postgresStorage(SERVER)
    expect(one.kind).toBe('postgresql')
    await one.tenants.add(buildTenant())
    expect(await other.tenants.list(PLATFORM)).toEqual([])
    expect(await other.health()).toMatchObject({
      missingTables: [],
      migrations: { pending: [], drifted: [] },
    })
  })

  it('a database made for a test is gone when it is disposed, also with somebody connected', async () => {
    const database = await testDatabase(SERVER)
    const name = new URL(database.url).pathname.slice(1)
    const guest = new pg.Client({ connectionString: database.url })
    guest.on('error', () => {})
    await guest.connect()
    const ended = new Promise((resolve) => guest.once('end', resolve))
    expect(await databasesNamed(name)).toBe(1)
    await database[Symbol.asyncDispose]()
    await ended
    expect(await databasesNamed(name)).toBe(0)
  })
})
