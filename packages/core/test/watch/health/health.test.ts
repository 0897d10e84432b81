import { describe, expect, it } from '@jest/globals'
import { FakeClock, FakeTimers, memoryStorage, testPlane } from '@svc/testing'
import type { Storage, StorageHealth } from '../../../src/platform/storage/storage.ts'

const FINE: StorageHealth = {
  latencyMs: 1,
  now: new FakeClock().now(),
  missingTables: [],
  migrations: { applied: [], pending: [], drifted: [] },
}

/** Makes a plane whose looks at the database wait until the test answers them. */
function looked() {
  const clock = new FakeClock()
  const timers = new FakeTimers(clock)
  const looks: PromiseWithResolvers<StorageHealth>[] = []
  const health = () => {
    const look = Promise.withResolvers<StorageHealth>()
    looks.push(look)
    return look.promise
  }
  const storage: Storage = { ...memoryStorage(clock), kind: 'postgresql', health }
  const { plane } = testPlane({ storage, clock, parts: { timers } })
  return { health: plane.health, timers, looks }
}

describe('readiness', () => {
  it('a full disk under an embedded database is no readiness: every write is refused', async () => {
    const clock = new FakeClock()
    let freeBytes = 64
    const disk = async () => ({ freeBytes, reservedBytes: 64 })
    const storage: Storage = { ...memoryStorage(clock), kind: 'pglite-folder', disk }
    const ready = () => testPlane({ storage, clock }).plane.health.ready()
    expect(await ready()).toMatchObject({
      ok: false,
      checks: { disk: { status: 'fail', reason: 'disk-full' } },
    })
    freeBytes = 65
    const { ok, checks } = await ready()
    expect({ ok, disk: checks.disk }).toEqual({ ok: true, disk: undefined })
  })

  it('a service that has not begun is not ready on a good database, until it has', async () => {
    const { plane } = testPlane()
    plane.health.starting()
    expect(plane.health.isStarting).toBe(true)
    const before = await plane.health.ready()
    expect([before.ok, before.checks.starting]).toEqual([false, { status: 'fail' }])
    plane.health.started()
    const after = await plane.health.ready()
    expect([after.ok, after.checks.starting]).toEqual([true, undefined])
  })

  it('what a newer release has migrated is a warning for one that serves, and a failure for one that has not begun', async () => {
    const { health, timers, looks } = looked()
    const ahead = { ...FINE, migrations: { ...FINE.migrations, ahead: ['9999-later'] } }
    const checked = async () => {
      const answer = health.ready()
      looks.at(-1)?.resolve(ahead)
      return (await answer).checks.migrations?.status
    }
    expect(await checked()).toBe('warn')
    health.starting()
    expect(await checked()).toBe('fail')
    expect(timers.waiting).toBe(0)
  })

  it('production without a single license key is a warning, and never a failure', async () => {
    const { plane } = testPlane()
    const licensing = { status: 'warn', mode: 'issued', reason: 'no-license' }
    expect(await plane.health.ready()).toMatchObject({ ok: true, checks: { licensing } })
  })

  it('probes that come together, and those that come while a look takes its time, share it', async () => {
    const { health, timers, looks } = looked()
    const together = [health.ready(), health.ready()]
    await timers.advance({ ms: 1900 })
    together.push(health.ready())
    expect(looks).toHaveLength(1)
    looks[0]?.resolve(FINE)
    const answers = await Promise.all(together)
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]?.ok).toBe(true)
  })

  it('an answer is good for one second from when it was found, and no longer', async () => {
    const { health, timers, looks } = looked()
    const first = health.ready()
    await timers.advance({ ms: 900 })
    looks[0]?.resolve(FINE)
    await first
    await timers.advance({ ms: 1000 })
    expect(await health.ready()).toBe(await first)
    await timers.advance({ ms: 1 })
    const second = health.ready()
    expect(looks).toHaveLength(2)
    looks[1]?.resolve(FINE)
    expect((await second).ok).toBe(true)
  })

  it('a database that says nothing for two seconds is unreachable, and no pause is left behind', async () => {
    const { health, timers, looks } = looked()
    const answer = health.ready()
    await timers.advance({ ms: 2000 })
    expect(await answer).toMatchObject({
      ok: false,
      checks: { database: { status: 'fail', reason: 'unreachable' } },
    })
    looks[0]?.reject(new Error('too late to matter'))
    await timers.advance({ ms: 1001 })
    const next = health.ready()
    looks[1]?.resolve(FINE)
    expect((await next).ok).toBe(true)
    expect(timers.waiting).toBe(0)
  })

  it('draining is seen at once, not when the kept answer has grown old', async () => {
    const { health, looks } = looked()
    const before = health.ready()
    looks[0]?.resolve(FINE)
    expect((await before).ok).toBe(true)
    health.drain()
    const after = health.ready()
    looks[1]?.resolve(FINE)
    expect(await after).toMatchObject({ ok: false, checks: { draining: { status: 'fail' } } })
  })
})
