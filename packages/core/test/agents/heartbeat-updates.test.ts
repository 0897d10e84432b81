// A heartbeat changes its row within the page and no index, which keeps a constantly written table small.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Storage } from '@svc/core'
import type { HeartbeatWrite } from '@svc/core/ports'
import { openStorage } from '@svc/core/sql'
import { POSTGRES } from '../storage/backends.ts'
import { SqlScene } from '../storage/sql-scene.ts'

const HOSTS = 2000
const AT_ONCE = 100
const MINUTES = 12

let scene: SqlScene
let storage: Storage

beforeAll(async () => {
  scene = await SqlScene.open()
  storage = await openStorage({ url: scene.url })
})
afterAll(async () => {
  await storage[Symbol.asyncDispose]()
  await scene[Symbol.asyncDispose]()
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

/** Sends one heartbeat of every host, in an order unrelated to that of the rows. */
async function minute(at: number): Promise<void> {
  const stride = 37
  for (let from = 0; from < HOSTS; from += AT_ONCE) {
    const hosts = Array.from({ length: AT_ONCE }, (_, n) => ((from + n) * stride) % HOSTS)
    await Promise.all(hosts.map((host) => storage.agents.heartbeat(beat(host, at))))
  }
}

// A transaction that writes for long, in any database of the server (another suite may have one), keeps old
// versions of rows from being cleared from their pages, so the best stretch counts. With an index on a column
// that heartbeats change, no update of any stretch is HOT.
const STRETCHES = 4

describe(`the rows of hosts on ${POSTGRES}`, () => {
  it('at least 95 of 100 heartbeats change no index', async () => {
    await minute(0)
    let before = { updates: 0, hot: 0 }
    const shares: number[] = []
    while (shares.length < STRETCHES && !shares.some((share) => share >= 0.95)) {
      for (let at = 1; at <= MINUTES; at += 1) await minute(shares.length * MINUTES + at)
      const now = await scene.updatesOf('agents', before.updates + HOSTS * MINUTES)
      expect(now.updates - before.updates).toBe(HOSTS * MINUTES)
      shares.push((now.hot - before.hot) / (now.updates - before.updates))
      before = now
    }
    expect(Math.max(...shares)).toBeGreaterThanOrEqual(0.95)
  }, 120_000)
})
