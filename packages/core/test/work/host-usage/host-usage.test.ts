import { describe, expect, it } from '@jest/globals'
import type { Timers } from '@svc/core'
import type { UsageFigures } from '@svc/core/ports'
import { buildHeartbeat, FakeClock, memoryStorage, testPlane } from '@svc/testing'
import { HostUsages } from '../../../src/work/host-usage/host-usage.ts'

const START = new Date('2026-01-05T12:00:00Z')
const HOST = { licenseId: 'lic_test', fingerprint: 'fp-test' }
const OTHER = { licenseId: 'lic_test', fingerprint: 'fp-other' }
const FIGURES = { cpuPct: 10, memPct: 20, diskPct: 30 }
const second = (date: Date) => date.getTime() / 1000

describe('figures of hosts over time', () => {
  /** Planes over one database, as replicas are. */
  const replicas = async (count = 1) => {
    const clock = new FakeClock(START)
    const storage = memoryStorage(clock)
    const made = Array.from({ length: count }, () => testPlane({ clock, storage }))
    for (const host of [HOST, OTHER]) await storage.agents.heartbeat(buildHeartbeat(host), START)
    const planes = made.map(({ plane }) => plane)
    const [first] = planes
    if (first === undefined) throw new Error('there is a replica')
    const note = (figures: UsageFigures, replica = first) => replica.hostUsage.note(HOST, figures)
    const rows = () => storage.hostUsage.read(HOST, new Date(0))
    return { clock, storage, planes, first, note, rows, logs: made.map(({ log }) => log) }
  }

  it('a day has means of five minutes, and a month those of two hours', async () => {
    const { clock, first, note } = await replicas()
    note({ cpuPct: 10, memPct: 50, diskPct: 100 })
    clock.advance({ seconds: 299 })
    note({ cpuPct: 30, memPct: 50.4, diskPct: 0 })
    clock.advance({ seconds: 1 })
    note({ cpuPct: 80 })
    const { day, month, gatheringSince } = await first.hostUsage.view(HOST)
    const at = second(START)
    expect(day.points).toEqual([
      { at, cpuPct: 20, memPct: 50.2, diskPct: 50 },
      { at: at + 300, cpuPct: 80 },
    ])
    expect(day).toMatchObject({ from: at + 300 - 287 * 300, slotSeconds: 300, slots: 288 })
    expect(month.points).toEqual([{ at, cpuPct: 40, memPct: 50.2, diskPct: 50 }])
    expect(month).toMatchObject({ from: at - 359 * 7200, slotSeconds: 7200, slots: 360 })
    expect(gatheringSince).toBe(at)
  })

  it('only numbers from 0 to 100 count, and a host without any takes no room', async () => {
    const { first, note, rows } = await replicas()
    for (const cpuPct of [undefined, -1, 100.1, 1e308, Number.NaN]) note({ cpuPct })
    expect((await first.hostUsage.view(HOST)).day.points).toEqual([])
    await first.hostUsage.stop()
    expect(await rows()).toEqual([])
    note({ cpuPct: -1, memPct: 0 })
    expect((await first.hostUsage.view(HOST)).day.points).toEqual([{ at: second(START), memPct: 0 }])
  })

  it('an hour is written when it has ended, for all hosts at once, and heartbeats do not wait for it', async () => {
    const { clock, storage, first, note, rows } = await replicas()
    note(FIGURES)
    first.hostUsage.note(OTHER, FIGURES)
    clock.advance({ seconds: 3599 })
    note(FIGURES)
    expect(await rows()).toEqual([])
    clock.advance({ seconds: 1 })
    const added: number[] = []
    const { add } = storage.hostUsage
    storage.hostUsage.add = async (all) => {
      added.push(all.length)
      return add(all)
    }
    note(FIGURES)
    await first.hostUsage.stop()
    expect(added).toEqual([2, 1])
    const stored = await rows()
    expect(stored.map(({ startsAt }) => startsAt)).toEqual([START, new Date(START.getTime() + 3_600_000)])
    expect(stored.map(({ figures }) => figures.byteLength)).toEqual([72, 72])
  })

  it('the last shares are written when a replica ends, and shown by the others', async () => {
    const { planes, note } = await replicas(2)
    const [one, other] = planes
    if (one === undefined || other === undefined) throw new Error('there are two')
    for (const cpuPct of [10, 10, 10]) note({ cpuPct }, one)
    note({ cpuPct: 50 }, other)
    expect((await other.hostUsage.view(HOST)).day.points).toMatchObject([{ cpuPct: 50 }])
    await one.hostUsage.stop()
    expect((await other.hostUsage.view(HOST)).day.points).toMatchObject([{ cpuPct: 20 }])
    await other.hostUsage.stop()
    for (const { hostUsage } of planes)
      expect((await hostUsage.view(HOST)).day.points).toMatchObject([{ cpuPct: 20 }])
  })

  it('shares of an ended hour are joined to one row, and of the days before to three a day', async () => {
    const { clock, planes, first, note, rows } = await replicas(2)
    for (let hour = 0; hour < 49; hour += 1) {
      for (const replica of planes) note({ cpuPct: hour, memPct: 40 }, replica)
      await settled()
      clock.advance({ hours: 1 })
    }
    for (const { hostUsage } of planes) await hostUsage.stop()
    expect(await rows()).toHaveLength(98)
    const before = await first.hostUsage.view(HOST)
    clock.advance({ minutes: 16 })
    await first.hostUsage.upkeep()
    await first.hostUsage.upkeep()
    const kept = await rows()
    // 13:16 two days later: blocks end at 8:00 a day before.
    const coarse = kept.filter(({ slotSeconds }) => slotSeconds === 7200)
    expect(coarse.map(({ startsAt }) => startsAt.toISOString())).toEqual([
      '2026-01-05T08:00:00.000Z',
      '2026-01-05T16:00:00.000Z',
      '2026-01-06T00:00:00.000Z',
    ])
    // Shares of the last hours are joined; older ones are when their block is.
    expect(kept).toHaveLength(3 + 2 * 29 - 4)
    const after = await first.hostUsage.view(HOST)
    expect(after.month).toEqual(before.month)
    expect(after.month.points).toHaveLength(25)
    expect(after.day.points.map(({ cpuPct }) => cpuPct)).toEqual(
      before.day.points.slice(-after.day.points.length).map(({ cpuPct }) => cpuPct),
    )
    expect(after.day.points).toHaveLength(23)
  })

  it('the hosts of a large fleet are joined over several upkeeps, a few seconds each', async () => {
    const { clock, storage, logs } = await replicas()
    let ms = 0
    // Each look at this clock is six seconds later: a page of hosts is joined at a time.
    const timers = { elapsedMs: () => (ms += 6_000) } as Timers
    const log = logs[0]
    if (log === undefined) throw new Error('there is a log')
    const usages = new HostUsages({ storage, clock, log, timers, keptDays: 31 })
    const hosts = Array.from({ length: 1200 }, (_, n) => ({ ...HOST, fingerprint: `fp-${1000 + n}` }))
    for (const host of hosts) {
      await storage.agents.heartbeat(buildHeartbeat(host), START)
      usages.note(host, FIGURES)
    }
    clock.advance({ hours: 40 })
    const joined: number[] = []
    for (let upkeep = 0; upkeep < 3; upkeep += 1) {
      await usages.upkeep()
      const rows = await Promise.all(hosts.map((host) => storage.hostUsage.read(host, new Date(0))))
      joined.push(rows.flat().filter(({ slotSeconds }) => slotSeconds === 7200).length)
    }
    expect(joined).toEqual([500, 1000, 1200])
  })

  it('an hour without heartbeats is a gap', async () => {
    const { clock, first, note } = await replicas()
    note(FIGURES)
    clock.advance({ hours: 2 })
    note(FIGURES)
    const at = second(START)
    const { points } = (await first.hostUsage.view(HOST)).day
    expect(points.map((point) => point.at)).toEqual([at, at + 7200])
  })

  it('a clock that is set back or ahead loses nothing of the hours before', async () => {
    const { clock, first, note, rows } = await replicas()
    note({ cpuPct: 10 })
    clock.advance({ hours: 24 * 365 })
    note({ cpuPct: 99 })
    clock.advance({ hours: -24 * 365 })
    note({ cpuPct: 30 })
    await first.hostUsage.stop()
    expect((await first.hostUsage.view(HOST)).day.points).toMatchObject([{ cpuPct: 20 }])
    expect(await rows()).toHaveLength(3)
    await first.hostUsage.upkeep()
    expect((await first.hostUsage.view(HOST)).day.points).toMatchObject([{ cpuPct: 20 }])
    expect((await rows()).map(({ startsAt }) => startsAt)).toEqual([START, START])
  })

  it('a write that fails is tried again after a minute, and an hour that waits is shown', async () => {
    const { clock, storage, first, note, rows, logs } = await replicas()
    const { add } = storage.hostUsage
    let tries = 0
    storage.hostUsage.add = async () => {
      tries += 1
      throw new Error('gone')
    }
    note(FIGURES)
    clock.advance({ hours: 1 })
    note(FIGURES)
    await settled()
    note(FIGURES)
    await settled()
    expect(tries).toBe(1)
    expect(logs[0]?.messages('warn')).toEqual(['figures of hosts could not be written; trying again'])
    expect((await first.hostUsage.view(HOST)).day.points).toHaveLength(2)
    storage.hostUsage.add = add
    clock.advance({ minutes: 1 })
    note(FIGURES)
    await settled()
    expect((await rows()).map(({ startsAt }) => startsAt)).toEqual([START])
  })

  it('at most three hours wait to be written', async () => {
    const { clock, storage, first, note, rows } = await replicas()
    const { add } = storage.hostUsage
    storage.hostUsage.add = async () => {
      throw new Error('gone')
    }
    for (let hour = 0; hour < 6; hour += 1) {
      note(FIGURES)
      await settled()
      clock.advance({ hours: 1 })
    }
    storage.hostUsage.add = add
    await first.hostUsage.stop()
    expect((await rows()).map(({ startsAt }) => startsAt.getUTCHours())).toEqual([15, 16, 17])
  })

  it('a replica that hears no host any more writes with its next retention', async () => {
    const { clock, first, note, rows } = await replicas()
    note(FIGURES)
    clock.advance({ hours: 1 })
    await first.hostUsage.upkeep()
    expect(await rows()).toHaveLength(1)
  })

  it('a slot counts 63 heartbeats of a host at most', async () => {
    const { first, note } = await replicas()
    for (let beat = 0; beat < 63; beat += 1) note({ cpuPct: 100 })
    for (let beat = 0; beat < 200; beat += 1) note({ cpuPct: 0 })
    expect((await first.hostUsage.view(HOST)).day.points).toMatchObject([{ cpuPct: 100 }])
  })
})

const settled = () => new Promise((resolve) => setImmediate(resolve))
