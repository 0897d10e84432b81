// A pool gets its connections back, however a transaction ends.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { openStorage } from '@svc/core/sql'
import { buildTenant, migratedDatabase, type TestDatabase } from '@svc/testing'
import pg from 'pg'
import { watchLent } from '../../../src/platform/database/lent-connections.ts'
import { POSTGRES, SERVER } from '../storage/backends.ts'

let database: TestDatabase
let other: pg.Client

beforeAll(async () => {
  database = await migratedDatabase(SERVER)
  other = new pg.Client({ connectionString: database.url })
  await other.connect()
})
afterAll(async () => {
  await other.end()
  await database[Symbol.asyncDispose]()
})

/** Ends every other connection to the database, and waits until they are gone. */
async function cut(): Promise<void> {
  const others = `from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  await other.query(`select pg_terminate_backend(pid) ${others}`)
  for (;;) {
    const { rows } = await other.query(`select 1 ${others}`)
    if (rows.length === 0) return
  }
}

const POOL = 2

describe(`connections that are lent, on ${POSTGRES}`, () => {
  it('transactions that die with their connection cost the pool nothing, and it closes', async () => {
    const storage = await openStorage({ url: database.url, poolSize: POOL })
    for (let died = 0; died < 2 * POOL; died += 1) {
      const transaction = storage.transaction(async (stores) => {
        await stores.tenants.add(buildTenant({ name: `tenant ${died}` }))
        await cut()
        await stores.tenants.list(PLATFORM)
      })
      await expect(transaction).rejects.toMatchObject({ code: 'unavailable' })
    }
    const kept = buildTenant({ name: 'kept' })
    await storage.transaction((stores) => stores.tenants.add(kept))
    expect((await storage.tenants.list(PLATFORM)).map(({ name }) => name)).toEqual(['kept'])
    await storage[Symbol.asyncDispose]()
  }, 60_000)

  it('one whose end nobody sees is taken back after a while', async () => {
    const pool = new pg.Pool({ connectionString: database.url, max: 1 })
    watchLent(pool, 100)
    const forgotten = await pool.connect()
    forgotten.on('error', () => {})
    // This query waits for the only connection.
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    // A late release of the forgotten connection does no harm.
    forgotten.release()
    expect((await pool.query('select 2 as two')).rows).toEqual([{ two: 2 }])
    await pool.end()
  })

  it('one that is given back in time is lent again', async () => {
    const pool = new pg.Pool({ connectionString: database.url, max: 1 })
    watchLent(pool, 100)
    const pid = async () => (await pool.query('select pg_backend_pid() as pid')).rows[0]?.pid
    const first = await pid()
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(await pid()).toBe(first)
    await pool.end()
  })
})
