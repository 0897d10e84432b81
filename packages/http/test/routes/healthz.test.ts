import { afterEach, describe, expect, it } from '@jest/globals'
import { REQUIRED_TABLES } from '@svc/core/ports'
import { openStorage } from '@svc/core/sql'
import { migratedDatabase, type TestDatabase, testDatabase, testPlane } from '@svc/testing'
import pg from 'pg'
import { byListen, mounted } from '../../../../test/support/mounted.ts'
import { sample } from '../../../../test/support/sample.ts'

const SERVER = process.env.SVC_TEST_POSTGRES ?? ''
const held: AsyncDisposable[] = []

afterEach(async () => {
  for (const each of held.splice(0).reverse()) await each[Symbol.asyncDispose]()
})

function kept<T extends AsyncDisposable>(each: T): T {
  held.push(each)
  return each
}

const database = async (): Promise<TestDatabase> => kept(await migratedDatabase(SERVER))

async function served(url: string, poolSize = 2) {
  const storage = await openStorage({ url, poolSize })
  const plane = kept(await mounted(byListen(), { storage }))
  return { plane, look: () => plane.send({ path: '/healthz' }) }
}

async function change(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

const READY = {
  database: { status: 'pass', latency_ms: expect.any(Number) },
  tables: { status: 'pass', missing: [] },
  migrations: { status: 'pass', pending: [], drifted: [] },
  signing: { status: 'pass' },
  licensing: { status: 'pass', mode: expect.any(String) },
}
const UNREACHABLE = {
  database: { status: 'fail', reason: 'unreachable' },
  signing: READY.signing,
  licensing: READY.licensing,
}

describe('GET /healthz in live mode', () => {
  it('is 200 with these checks and no others when nothing is wrong', async () => {
    const { look } = await served((await database()).url)
    const { status, body } = await look()
    expect({ status, body }).toEqual({ status: 200, body: { ok: true, checks: READY } })
  })

  it.each([
    ['a table', sample(REQUIRED_TABLES, REQUIRED_TABLES.length)],
    ['every table', REQUIRED_TABLES],
  ])('is 503 when %s is missing, and names it', async (_, missing) => {
    expect(missing.length).toBeGreaterThan(0)
    const { url } = await database()
    const { look } = await served(url)
    await change(url, `drop table ${missing.join(', ')} cascade`)
    const { status, body } = await look()
    const tables = { status: 'fail', missing: [...missing] }
    expect({ status, body }).toEqual({ status: 503, body: { ok: false, checks: { ...READY, tables } } })
  })

  it.each(['migration_checksums', 'migrations'])(
    'is 503 when %s does not know of a migration, and names it as pending',
    async (table) => {
      const { url } = await database()
      const { look } = await served(url)
      await change(url, `delete from ${table} where name like '0001%'`)
      const { status, body } = await look()
      const migrations = { status: 'fail', pending: [expect.stringMatching(/^0001-/)], drifted: [] }
      expect({ status, body }).toEqual({ status: 503, body: { ok: false, checks: { ...READY, migrations } } })
    },
  )

  it('is 503 when a migration was applied with another text, and names it', async () => {
    const { url } = await database()
    const { look } = await served(url)
    await change(url, "update migration_checksums set checksum = 'edited' where name like '0001%'")
    const { status, body } = await look()
    const migrations = { status: 'fail', pending: [], drifted: [expect.stringMatching(/^0001-/)] }
    expect({ status, body }).toEqual({ status: 503, body: { ok: false, checks: { ...READY, migrations } } })
  })

  it('is 200 with a warning when a newer release has migrated the database: older replicas serve on', async () => {
    const { url } = await database()
    const { look } = await served(url)
    await change(url, "insert into migration_checksums (name, checksum) values ('9999-later', 'x')")
    const { status, body } = await look()
    const migrations = { status: 'warn', pending: [], drifted: [], ahead: ['9999-later'] }
    expect({ status, body }).toEqual({ status: 200, body: { ok: true, checks: { ...READY, migrations } } })
  })

  it('is 503 on an empty database, where everything is missing and pending', async () => {
    const { url } = kept(await testDatabase(SERVER))
    const storage = kept(await openStorage({ url, poolSize: 1 }))
    const { ok, checks } = await testPlane({ storage }).plane.health.ready()
    expect(ok).toBe(false)
    expect(checks.tables).toEqual({ status: 'fail', missing: [...REQUIRED_TABLES] })
    expect(checks.migrations).toMatchObject({ status: 'fail', drifted: [] })
  })

  it('is 503 when the database is gone, without a word of where it was', async () => {
    const { url } = await database()
    const { look } = await served(url)
    const name = new URL(url).pathname.slice(1)
    await change(SERVER, `alter database ${name} allow_connections false`)
    await change(SERVER, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
    const { status, body, text } = await look()
    expect({ status, body }).toEqual({ status: 503, body: { ok: false, checks: UNREACHABLE } })
    expect(text).not.toContain(name)
    // Disposing the test database searches its tables for secrets, which needs a connection.
    await change(SERVER, `alter database ${name} allow_connections true`)
  })

  it('a pool without a free connection is no unreachable database', async () => {
    const { plane, look } = await served((await database()).url, 1)
    const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const busy = plane.storage.transaction(() => {
      begun.resolve()
      return over.promise
    })
    await begun.promise
    expect((await look()).body).toEqual({ ok: true, checks: READY })
    over.resolve()
    await busy
  })

  it('a missing or unusable signing key and the development rules are warnings, never a failure', async () => {
    const { url } = await database()
    const statuses = async (env: Record<string, string | undefined>) => {
      const storage = await openStorage({ url, poolSize: 1 })
      await using plane = await mounted(byListen(), { storage, env })
      const { status, body } = await plane.send({ path: '/healthz' })
      const { signing, licensing } = (body as { checks: Record<string, unknown> }).checks
      return { status, signing, licensing }
    }
    expect(await statuses({ SERVICE_LICENSE_PRIVKEY: undefined, NODE_ENV: undefined })).toEqual({
      status: 200,
      signing: { status: 'warn', reason: 'unset' },
      licensing: { status: 'warn', mode: 'development' },
    })
    expect(await statuses({ SERVICE_LICENSE_PRIVKEY: 'not a key' })).toMatchObject({
      status: 200,
      signing: { status: 'warn', reason: 'unusable' },
    })
  })

  it('production without an allow-list and without one issued license is a warning, until there is one', async () => {
    const { url } = await database()
    const storage = kept(await openStorage({ url, poolSize: 1 }))
    const planeOf = (env: Record<string, string>) => testPlane({ storage, env }).plane
    const licensingOf = async (env: Record<string, string> = {}) => {
      const { ok, checks } = await planeOf(env).health.ready()
      return { ok, licensing: checks.licensing }
    }
    expect(await licensingOf()).toEqual({
      ok: true,
      licensing: { status: 'warn', mode: 'issued', reason: 'no-license' },
    })
    const listed = { status: 'pass', mode: 'allow-list' }
    expect(await licensingOf({ SERVICE_LICENSE_KEYS: 'a-key' })).toEqual({ ok: true, licensing: listed })
    await planeOf({}).licenses.issue({})
    expect(await licensingOf()).toEqual({ ok: true, licensing: { status: 'pass', mode: 'issued' } })
  })

  it('is 503 while draining, whatever the database says', async () => {
    const { plane, look } = await served((await database()).url)
    expect((await look()).status).toBe(200)
    plane.plane.health.drain()
    const { status, body } = await look()
    const draining = { status: 'fail' }
    expect({ status, body }).toEqual({ status: 503, body: { ok: false, checks: { ...READY, draining } } })
  })
})

describe('A service that has not begun to serve', () => {
  it('is not ready, also on a good database, until it says so', async () => {
    const { plane, look } = await served((await database()).url)
    const { health } = plane.plane
    health.starting()
    const starting = { status: 'fail' }
    const { status, body } = await look()
    expect({ status, body }).toEqual({ status: 503, body: { ok: false, checks: { ...READY, starting } } })
    health.started()
    expect((await look()).body).toEqual({ ok: true, checks: READY })
  })

  it('does not begin on a database that a newer release has migrated: the check fails', async () => {
    const { url } = await database()
    const { plane, look } = await served(url)
    plane.plane.health.starting()
    await change(url, "insert into migration_checksums (name, checksum) values ('9999-later', 'x')")
    const migrations = { status: 'fail', pending: [], drifted: [], ahead: ['9999-later'] }
    expect((await look()).body).toMatchObject({ ok: false, checks: { migrations } })
  })
})

describe('GET /healthz in demo mode', () => {
  it('is 200 and says that no database is configured', async () => {
    const storage = await openStorage({ memory: true })
    const plane = kept(await mounted(byListen(), { storage }))
    const { status, body } = await plane.send({ path: '/healthz' })
    const database = { status: 'not-configured', embedded: 'memory', latency_ms: expect.any(Number) }
    expect({ status, body }).toEqual({ status: 200, body: { ok: true, checks: { ...READY, database } } })
  })
})
