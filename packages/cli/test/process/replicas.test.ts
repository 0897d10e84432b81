import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type TestDatabase, testDatabase } from '@svc/testing'
import pg from 'pg'
import { RetryingClient } from '../support/retrying-client.ts'
import { jsonOf, runSvc, SvcProcess } from '../support/svc-process.ts'
import { WireHost } from '../support/wire-host.ts'

const POSTGRES = process.env.SVC_TEST_POSTGRES ?? ''
const PATIENCE_MS = 120_000
const SERVE = ['serve', '--port', '0']

let cwd: string
let database: TestDatabase

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  database = await testDatabase(POSTGRES)
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  await rm(cwd, { recursive: true, force: true })
})

const parts = () => ({ cwd, env: { DATABASE_URL: database.url } })

async function sql<Row>(text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    return (await client.query(text)).rows as Row[]
  } finally {
    await client.end()
  }
}

test(
  'A rolling restart of two replicas loses no request of clients that try the other one',
  async () => {
    await jsonOf(['migrate'], parts())
    await using first = new SvcProcess(SERVE, parts())
    await using second = new SvcProcess(SERVE, parts())
    const urls = [await first.serving(), await second.serving()]
    const clients = Array.from({ length: 8 }, (_, index) => new RetryingClient(urls, `client-${index}`))
    for (const client of clients) client.start()
    await Promise.all(clients.map((client) => client.answered(20)))
    const restarted: SvcProcess[] = []
    for (const [index, old] of [first, second].entries()) {
      old.kill('SIGTERM')
      expect(await old.end()).toBe(0)
      const fresh = new SvcProcess(SERVE, parts())
      restarted.push(fresh)
      urls[index] = await fresh.serving()
      // Every client goes on with both before the next one leaves.
      await Promise.all(clients.map((client) => client.answered(20)))
    }
    const reports = await Promise.all(clients.map((client) => client.stop()))
    for (const each of restarted) await each[Symbol.asyncDispose]()
    for (const { failed } of reports) expect(failed).toEqual([])
    const acknowledged = reports.flatMap(({ acknowledged }) => acknowledged)
    const stored = await sql<{ fingerprint: string }>('select fingerprint from agents')
    const known = new Set(stored.map(({ fingerprint }) => fingerprint))
    expect(acknowledged.filter((each) => !known.has(each))).toEqual([])
    expect(acknowledged.length).toBeGreaterThanOrEqual(8 * 60)
  },
  PATIENCE_MS,
)

/** What an additive step of a newer release may do at its worst: a column more in every table, and a table more. */
const NEWER = `
  do $$ declare name text; begin
    for name in select table_name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like 'migration%'
    loop execute format('alter table %I add column from_later text', name); end loop;
  end $$;
  create table from_later (id text primary key);
  insert into migration_checksums (name, checksum) values ('9999-later', 'of-a-newer-release')`

test(
  'A replica of the older release serves on beside a newer one that has migrated, is ready with a warning, and starts no more',
  async () => {
    await jsonOf(['migrate'], parts())
    await using older = new SvcProcess([...SERVE, '--tick', '1'], parts())
    const url = await older.serving()
    const { license, key } = await jsonOf<{ license: { id: string }; key: string }>(
      ['licenses', 'issue'],
      parts(),
    )
    const enqueue = () => jsonOf(['jobs', 'enqueue', 'prune', '--license', license.id], parts())
    const host = new WireHost(key, 'a'.repeat(40))
    const work = async () => {
      await enqueue()
      expect(await host.heartbeat(url)).toBe(200)
      const job = await host.claimed(url)
      expect(await host.report(url, job, 'running')).toBe(200)
      expect(await host.say(url, job, 'a line')).toBe(200)
      expect(await host.report(url, job, 'succeeded')).toBe(200)
    }
    // Twice: its statements are prepared and planned before the tables change.
    await work()
    await work()
    await sql(NEWER)
    await work()
    await work()

    const health = await fetch(`${url}/healthz`, { headers: { connection: 'close' } })
    expect(health.status).toBe(200)
    const migrations = { status: 'warn', pending: [], drifted: [], ahead: ['9999-later'] }
    expect(await health.json()).toMatchObject({ ok: true, checks: { migrations } })
    for (const args of [SERVE, [...SERVE, '--migrate'], ['migrate']]) {
      const { code, err } = await runSvc(args, parts())
      expect({ args, code }).toEqual({ args, code: 1 })
      expect(err).toContain('the database is ahead of this release (9999-later); run a newer one')
    }
    const status = await runSvc(['migrate', '--status'], parts())
    expect(status.out).toMatch(/^9999-later +ahead$/m)
    expect(older.err.text).not.toMatch(/"level":"error"/)
  },
  PATIENCE_MS,
)
