import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { migratedDatabase, type TestDatabase } from '@svc/testing'
import pg from 'pg'
import { RetryingClient } from '../support/retrying-client.ts'
import { jsonHere } from '../support/svc-here.ts'
import { runSvc, SvcProcess } from '../support/svc-process.ts'
import { WireHost } from '../support/wire-host.ts'

const POSTGRES = process.env.SVC_TEST_POSTGRES ?? ''
const PATIENCE_MS = 120_000
const SERVE = ['serve', '--port', '0']

let cwd: string
let database: TestDatabase

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  database = await migratedDatabase(POSTGRES)
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

test(
  'A replica that ends writes the figures of hosts that it has gathered',
  async () => {
    const { key } = await jsonHere<{ key: string }>(['licenses', 'issue'], parts())
    await using replica = new SvcProcess(SERVE, parts())
    const url = await replica.serving()
    const body = JSON.stringify({ fingerprint: 'fp', cpu_pct: 12.3, disk_pct: 45 })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const beat = await fetch(`${url}/v1/telemetry/heartbeat`, { method: 'POST', headers, body })
    expect(beat.status).toBe(200)
    expect(await sql('select from host_usage')).toEqual([])
    replica.kill('SIGTERM')
    expect(await replica.end()).toBe(0)
    const [row] = await sql<{ figures: Buffer; slot_seconds: number }>('select * from host_usage')
    expect(row?.slot_seconds).toBe(300)
    const values = Array.from({ length: 36 }, (_, at) => row?.figures.readUInt16BE(at * 2))
    expect(values.filter((value) => value !== 0)).toEqual([1024 + 123, 1024 + 450])
  },
  PATIENCE_MS,
)

// Through its options, since the command is started as everywhere else.
const NEWER = { NODE_OPTIONS: `--import ${new URL('../support/newer-release.ts', import.meta.url).href}` }

test(
  'Replicas of an older and a newer release serve one host in turn; the older is ready with a warning, and waits when it is started again',
  async () => {
    await using older = new SvcProcess([...SERVE, '--tick', '1'], parts())
    const url = await older.serving()
    const { license, key } = await jsonHere<{ license: { id: string }; key: string }>(
      ['licenses', 'issue'],
      parts(),
    )
    const enqueue = () => jsonHere(['jobs', 'enqueue', 'prune', '--license', license.id], parts())
    const host = new WireHost(key, 'a'.repeat(40))
    const work = async (one: string, other: string) => {
      await enqueue()
      expect(await host.heartbeat(one)).toBe(200)
      const job = await host.claimed(other)
      expect(await host.report(one, job, 'running')).toBe(200)
      expect(await host.say(other, job, 'a line')).toBe(200)
      expect(await host.report(one, job, 'succeeded')).toBe(200)
    }
    // Twice: its statements are prepared and planned before the tables change.
    await work(url, url)
    await work(url, url)
    await using newer = new SvcProcess([...SERVE, '--migrate', '--tick', '1'], {
      cwd,
      env: { ...parts().env, ...NEWER },
    })
    const newerUrl = await newer.serving()
    await work(url, newerUrl)
    await work(newerUrl, url)
    await work(url, url)
    const ready = await fetch(`${newerUrl}/healthz`, { headers: { connection: 'close' } })
    expect(await ready.json()).toMatchObject({ ok: true, checks: { migrations: { status: 'pass' } } })

    const health = await fetch(`${url}/healthz`, { headers: { connection: 'close' } })
    expect(health.status).toBe(200)
    const migrations = { status: 'warn', pending: [], drifted: [], ahead: ['9999-later'] }
    expect(await health.json()).toMatchObject({ ok: true, checks: { migrations } })
    const ahead = 'the database is ahead of this release (9999-later); run a newer one'
    for (const args of [SERVE, [...SERVE, '--migrate']]) {
      await using again = new SvcProcess(args, parts())
      await again.until('err', ahead)
      again.kill('SIGTERM')
      expect({ args, code: await again.end() }).toEqual({ args, code: 0 })
    }
    expect(await runSvc(['migrate'], parts())).toMatchObject({ code: 1, err: expect.stringContaining(ahead) })
    const status = await runSvc(['migrate', '--status'], parts())
    expect(status.out).toMatch(/^9999-later +ahead$/m)
    for (const { err } of [older, newer]) expect(err.text).not.toMatch(/"level":"error"/)
  },
  PATIENCE_MS,
)
