// A heartbeat changes a row in its page and no index: what keeps a table that is written all day as small as it is.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { HeartbeatWrite, Storage } from '@svc/core'
import { migrate, openStorage } from '@svc/core/sql'
import { type TestDatabase, testDatabase } from '@svc/testing'
import pg from 'pg'
import { POSTGRES, SERVER } from '../storage/backends.ts'

const HOSTS = 2000
const AT_ONCE = 100
const MINUTES = 12

let database: TestDatabase
let storage: Storage
let client: pg.Client

beforeAll(async () => {
  database = await testDatabase(SERVER)
  await migrate(database.url)
  storage = await openStorage({ url: database.url })
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await storage[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const beat = (host: number, minute: number): HeartbeatWrite => ({
  licenseId: `lic_${host % 20}`,
  fingerprint: `fp-${host}`,
  hostname: `host-${host}.example.org`,
  version: '1.4.0',
  state: 'idle',
  bootId: `boot-${host}`,
  cpuPct: (host * 7 + minute) % 100,
  memPct: (host * 3 + minute) % 100,
  diskPct: 40,
  diskTotalGb: 80,
  lastCaptureAt: 1_764_000_000 + minute,
  captureSuccess: true,
  lastDrillAt: undefined,
  drillPass: undefined,
})

/** Every host once, in an order that has nothing to do with that of the rows. */
async function minute(at: number): Promise<void> {
  const stride = 37
  for (let from = 0; from < HOSTS; from += AT_ONCE) {
    const hosts = Array.from({ length: AT_ONCE }, (_, n) => ((from + n) * stride) % HOSTS)
    await Promise.all(hosts.map((host) => storage.agents.heartbeat(beat(host, at))))
  }
}

interface Counted {
  readonly updates: number
  readonly hot: number
}

// Each connection tells what it has counted a second after its last statement, at the latest.
async function counted(updates: number): Promise<Counted> {
  for (;;) {
    const { rows } = await client.query<Counted>(
      `select n_tup_upd::int as updates, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = 'agents'`,
    )
    const [found] = rows
    if (found !== undefined && found.updates >= updates) return found
  }
}

describe(`the rows of hosts on ${POSTGRES}`, () => {
  it('at least 95 of 100 heartbeats change no index', async () => {
    for (let at = 0; at <= MINUTES; at += 1) await minute(at)
    const { updates, hot } = await counted(HOSTS * MINUTES)
    expect(updates).toBe(HOSTS * MINUTES)
    expect(hot / updates).toBeGreaterThanOrEqual(0.95)
  }, 60_000)
})
