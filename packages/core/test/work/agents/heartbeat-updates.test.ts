// A heartbeat changes its row within the page and no index, which keeps a constantly written table small.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Storage } from '@svc/core'
import type { HeartbeatWrite } from '@svc/core/ports'
import { POSTGRES } from '../../platform/storage/backends.ts'
import { SqlScene } from '../../platform/storage/sql-scene.ts'

const HOSTS = 2000
const AT_ONCE = 100
const MINUTES = 12

let scene: SqlScene

beforeAll(async () => {
  scene = await SqlScene.open()
})
afterAll(() => scene[Symbol.asyncDispose]())

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

/** Sends one heartbeat of every host, in an order unrelated to the rows'. */
async function minute(storage: Storage, at: number): Promise<void> {
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
const ENOUGH = 0.95

describe(`the rows of hosts on ${POSTGRES}`, () => {
  it('at least 95 of 100 heartbeats change no index', async () => {
    // The first heartbeats make the rows.
    await scene.updatesBy((storage) => minute(storage, 0), 'agents', 0)
    const shares: number[] = []
    while (shares.length < STRETCHES && !shares.some((share) => share >= ENOUGH)) {
      const from = shares.length * MINUTES
      const { updates, hot } = await scene.updatesBy(
        async (storage) => {
          for (let at = 1; at <= MINUTES; at += 1) await minute(storage, from + at)
        },
        'agents',
        HOSTS * MINUTES,
      )
      expect(updates).toBe(HOSTS * MINUTES)
      shares.push(hot / updates)
    }
    expect(Math.max(...shares)).toBeGreaterThanOrEqual(ENOUGH)
  }, 120_000)
})
