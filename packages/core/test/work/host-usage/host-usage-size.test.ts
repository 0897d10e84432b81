// The bytes of the figures of hosts, in the database and in the memory of a replica.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Storage } from '@svc/core'
import { openStorage } from '@svc/core/sql'
import { buildHeartbeat, FakeClock, testPlane } from '@svc/testing'
import { MOST_HOSTS, UsageHour } from '../../../src/work/host-usage/usage-hour.ts'
import { POSTGRES } from '../../platform/storage/backends.ts'
import { SqlScene } from '../../platform/storage/sql-scene.ts'

const HOSTS = 200
const DAYS = 4
const KIB = 1024
/** As long as the ids of licenses and the fingerprints of the agent are. */
const hostOf = (n: number) => ({
  licenseId: `lic_${String(n % 3).padStart(26, '0')}`,
  fingerprint: String(n).padStart(32, '0'),
})

describe(`the bytes of figures of hosts on ${POSTGRES}`, () => {
  let scene: SqlScene
  let storage: Storage
  beforeAll(async () => {
    scene = await SqlScene.open()
    storage = await openStorage({ url: scene.url, poolSize: 4 })
    await scene.client.query(`insert into licenses (id, key_digest)
      select 'lic_' || lpad(n::text, 26, '0'), 'digest-' || n from generate_series(0, 2) n`)
  }, 120_000)
  afterAll(async () => {
    await storage?.[Symbol.asyncDispose]()
    await scene?.[Symbol.asyncDispose]()
  }, 120_000)

  it('are at most 12 KiB a host for the last day, and 1 KiB for each day before', async () => {
    const clock = new FakeClock('2026-01-01T00:00:00Z')
    const replicas = [testPlane({ clock, storage }).plane, testPlane({ clock, storage }).plane]
    for (let n = 0; n < HOSTS; n += 1) await storage.agents.heartbeat(buildHeartbeat(hostOf(n)), clock.now())
    const bytes = async () => {
      // A copy has no dead rows, whoever looks at the table meanwhile.
      await scene.client.query(`drop table if exists measured`)
      await scene.client.query('create table measured (like host_usage including all)')
      await scene.client.query(`insert into measured select * from host_usage
        order by license_id, fingerprint, starts_at, share`)
      const { rows } = await scene.client.query(`select pg_total_relation_size('measured')::int as bytes`)
      return rows[0] as { bytes: number }
    }
    const hours = async (count: number) => {
      for (let hour = 0; hour < count; hour += 1) {
        for (let n = 0; n < HOSTS; n += 1) {
          for (const { hostUsage } of replicas)
            hostUsage.note(hostOf(n), { cpuPct: (hour * 7 + n) % 100, memPct: n % 100, diskPct: hour % 100 })
        }
        clock.advance({ hours: 1 })
        for (const { hostUsage } of replicas) await hostUsage.stop()
        clock.advance({ minutes: 20 })
        await replicas[0]?.hostUsage.upkeep()
        clock.advance({ minutes: -20 })
      }
    }
    const perHost = async () => (await bytes()).bytes / HOSTS
    // The most rows of hours lie there just before eight of them become a row of a block.
    await hours(31)
    const first = await perHost()
    expect(first).toBeLessThanOrEqual(12 * KIB)
    await hours(24 * DAYS)
    const later = await perHost()
    const eachDay = (later - first) / DAYS
    expect(eachDay).toBeGreaterThan(0)
    expect(eachDay).toBeLessThanOrEqual(KIB)
    process.stdout.write(
      `figures of hosts: ${Math.round(first)} bytes a host for the last day, ${Math.round(eachDay)} for each day before\n`,
    )
  }, 120_000)
})

describe('the memory of the gatherer', () => {
  const gathered = (hosts: number) => {
    const hour = new UsageHour(0, 1)
    for (let n = 0; n < hosts; n += 1) hour.add(hostOf(n), { cpuPct: 1, memPct: 2, diskPct: 3 }, 0)
    return hour
  }

  it('ends with so many hosts: others are left out, and counted', () => {
    const hour = gathered(MOST_HOSTS + 7)
    expect(hour.hosts).toBe(MOST_HOSTS)
    expect(hour.lost).toBe(7)
    expect(hour.rowOf(hostOf(MOST_HOSTS))).toBeUndefined()
    expect(hour.rows(0, MOST_HOSTS * 2)).toHaveLength(MOST_HOSTS)
    expect(hour.rows(MOST_HOSTS - 1, 9)).toMatchObject([hostOf(MOST_HOSTS - 1)])
  })

  it('keeps hosts apart whose figures lie side by side', () => {
    const hour = new UsageHour(0, 1)
    for (let n = 0; n < 600; n += 1) hour.add(hostOf(n), { cpuPct: n % 100 }, n % 3600)
    const means = hour.rows(0, 600).map((row) => {
      const view = new DataView(row.figures.buffer, row.figures.byteOffset, row.figures.byteLength)
      return Array.from({ length: 36 }, (_, at) => view.getUint16(at * 2)).filter((value) => value !== 0)
    })
    expect(means).toEqual(Array.from({ length: 600 }, (_, n) => [1024 + (n % 100) * 10]))
  })
})
