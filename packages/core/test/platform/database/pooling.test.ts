import { afterEach, describe, expect, it } from '@jest/globals'
import { PLATFORM, type Storage } from '@svc/core'
import { migratedDatabase, testDatabase } from '@svc/testing'
import pg from 'pg'
import { IGNORED, PGBOUNCER, type PgBouncer, pgbouncer } from '../../../../../test/support/pgbouncer.ts'
import {
  type DatabaseServer,
  exportDatabase,
  migrate,
  migrationStatusOf,
  openStorage,
} from '../../../src/sql.ts'
import { POSTGRES, SERVER } from '../storage/backends.ts'

const held: AsyncDisposable[] = []
afterEach(async () => {
  for (const each of held.splice(0).reverse()) await each[Symbol.asyncDispose]()
})
function kept<T extends AsyncDisposable>(each: T): T {
  held.push(each)
  return each
}

const database = async () => kept(await migratedDatabase(SERVER)).url
const opened = async (server: DatabaseServer): Promise<Storage> => kept(await openStorage(server))
const pooler = async (settings: Readonly<Record<string, string>>): Promise<PgBouncer> =>
  kept(await pgbouncer(SERVER, { ignore_startup_parameters: IGNORED, ...settings }))

async function client(url: string): Promise<pg.Client> {
  const made = new pg.Client({ connectionString: url })
  await made.connect()
  kept({ [Symbol.asyncDispose]: () => made.end() })
  return made
}

/** Uses each kind of connection once: the probe, the pool, a lane and a transaction. */
const uses = (storage: Storage) =>
  Promise.allSettled([
    storage.health(),
    storage.tenants.list(PLATFORM),
    storage.jobs.get(PLATFORM, 'job_x'),
    storage.transaction(({ tenants }) => tenants.list(PLATFORM)),
  ])
const refusal = (words: string) => ({
  status: 'rejected',
  reason: { name: 'Problem', code: 'unavailable', message: expect.stringContaining(words) },
})
const refused = (words: string) => Array.from({ length: 4 }, () => refusal(words))
const NOT_KEPT = 'the pooler behind DATABASE_URL does not keep sessions: use session pooling, or set'
const NOTHING_LACKING = { isKept: true, lacking: [] }

const behind = PGBOUNCER === undefined ? describe.skip : describe

behind(`a service behind PgBouncer ${PGBOUNCER?.join('.')} on ${POSTGRES}`, () => {
  it.each([
    ['transaction', {}],
    // With one session the pooler gives every statement the same one, as if it kept it.
    ['transaction', { default_pool_size: '1', reserve_pool_size: '0' }],
    ['transaction', { server_round_robin: '1', min_pool_size: '4' }],
    ['statement', {}],
  ])('is refused by name with %s pooling %p, whatever it does first', async (pool_mode, more) => {
    const through = (await pooler({ pool_mode, ...more })).through(await database())
    const storage = await opened({ url: through })
    expect(await uses(storage)).toMatchObject(refused(NOT_KEPT))
    expect(await storage.pooling?.()).toEqual({ isKept: false, lacking: [] })
  })

  it('migrates nothing without sessions, and leaves no lock behind that another would wait for', async () => {
    const { url } = kept(await testDatabase(SERVER))
    const through = (await pooler({ pool_mode: 'transaction' })).through(url)
    await expect(migrate(through)).rejects.toThrow(NOT_KEPT)
    await expect(migrationStatusOf(through)).rejects.toThrow(NOT_KEPT)
    const other = await client(url)
    const locks = `select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`
    expect((await other.query(locks)).rowCount).toBe(0)
    expect((await other.query("select to_regclass('jobs') as jobs")).rows).toEqual([{ jobs: null }])
  })

  it('works with session pooling, hears signals, and says which limits are lost until the role has them', async () => {
    const url = await database()
    const through = (await pooler({ pool_mode: 'session' })).through(url)
    const storage = await opened({ url: through })
    for (const { status } of await uses(storage)) expect(status).toBe('fulfilled')
    const heard = Promise.withResolvers<string>()
    await using _line = await storage.hearSignals(heard.resolve, () => heard.reject(new Error('lost')))
    await storage.signal('echo one')
    expect(await heard.promise).toBe('echo one')
    const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
    expect(await storage.pooling?.()).toEqual({ isKept: true, lacking: names })

    const owner = await client(url)
    const { username, pathname } = new URL(url)
    const role = `alter role ${username} in database ${pathname.slice(1)}`
    // One that is longer than promised is none.
    for (const [index, limit] of ['5s', '2s', '11s'].entries())
      await owner.query(`${role} set ${names[index]} = '${limit}'`)
    const later = (await pooler({ pool_mode: 'session' })).through(url)
    const lacking = ['idle_in_transaction_session_timeout']
    expect(await (await opened({ url: later })).pooling?.()).toEqual({ isKept: true, lacking })
    await owner.query(`${role} set ${names[2]} = '10s'`)
    const last = (await pooler({ pool_mode: 'session' })).through(url)
    expect(await (await opened({ url: last })).pooling?.()).toEqual(NOTHING_LACKING)
  })

  it('with the database itself as DATABASE_SESSION_URL works only if prepared statements pass', async () => {
    const sessionUrl = await database()
    const bouncer = await pooler({ pool_mode: 'transaction', max_prepared_statements: '200' }).catch(() =>
      // Older releases refuse the setting.
      pooler({ pool_mode: 'transaction' }),
    )
    const storage = await opened({ url: bouncer.through(sessionUrl), sessionUrl })
    const [major = 0, minor = 0] = PGBOUNCER ?? []
    const passes = major > 1 || minor >= 21
    const expected = passes
      ? Array.from({ length: 4 }, () => ({ status: 'fulfilled' }))
      : refused('the pooler behind DATABASE_URL loses prepared statements')
    expect(await uses(storage)).toMatchObject(expected)
  })

  it.each(['transaction', 'statement'])(
    'is refused when DATABASE_SESSION_URL has %s pooling too',
    async (pool_mode) => {
      const url = (await pooler({ pool_mode })).through(await database())
      const [first] = await uses(await opened({ url, sessionUrl: url }))
      expect(first).toMatchObject(
        refusal('DATABASE_SESSION_URL leads to a pooler that does not keep sessions'),
      )
    },
  )

  it('is told which setting of the pooler it needs, by a pooler that takes no startup parameters', async () => {
    const through = (await pooler({ ignore_startup_parameters: '' })).through(await database())
    const [first] = await uses(await opened({ url: through }))
    expect(first).toMatchObject(refusal('name it in ignore_startup_parameters'))
  })

  it('notices in a later look that the pooler was told to keep sessions no longer', async () => {
    const bouncer = await pooler({ pool_mode: 'session' })
    const storage = await opened({ url: bouncer.through(await database()) })
    await storage.health()
    expect(await storage.pooling?.()).toMatchObject({ isKept: true })
    await bouncer.reload({ pool_mode: 'transaction' })
    expect(await storage.pooling?.()).toEqual({ isKept: false, lacking: [] })
  })
})

describe(`a service on ${POSTGRES} itself`, () => {
  it('migrates, exports and imports without the limits that its role has for the sake of a pooler', async () => {
    const [empty, full] = [kept(await testDatabase(SERVER)).url, await database()]
    for (const url of [empty, full]) {
      const { username, pathname } = new URL(url)
      const owner = await client(url)
      await owner.query(
        `alter role ${username} in database ${pathname.slice(1)} set statement_timeout = '1ms'`,
      )
    }
    expect((await migrate(empty)).pending).toEqual([])
    const pieces: Uint8Array[] = []
    await exportDatabase({ url: full }, async (piece) => void pieces.push(Buffer.from(piece)))
    expect(pieces.length).toBeGreaterThan(0)
  })

  it('has its limits, with DATABASE_SESSION_URL as without', async () => {
    const url = await database()
    for (const server of [{ url }, { url, sessionUrl: url }]) {
      const storage = await opened(server)
      for (const { status } of await uses(storage)) expect(status).toBe('fulfilled')
      expect(await storage.pooling?.()).toEqual(NOTHING_LACKING)
    }
  })

  it('is refused when DATABASE_SESSION_URL names another database', async () => {
    const storage = await opened({ url: await database(), sessionUrl: await database() })
    expect(await uses(storage)).toMatchObject(refused('to another database than DATABASE_URL'))
  })
})
