// Judging the figures of a siege: which times of the good client are too long, and which prove nothing.
import { describe, expect, it } from '@jest/globals'
import { medianOf, type SiegeReport, type Stretch, shortcomings } from '../src/siege-report.ts'

const LOOP = { p50: 0, p99: 0, max: 0, busyMax: 20, gcMax: 0, cpuMs: 0, loopMs: 0, busy: [] }
const LIMITS = { median: 50, whole: 100 }

const stretch = (p99: number, marked: readonly number[] = []): Stretch => ({
  bystander: { beats: 100, failed: 0, p50: 1, p99, max: p99, marked },
  loop: LOOP,
})

function report(changes: Partial<SiegeReport> = {}): SiegeReport {
  const weight = { rss: 100, held: 100, peak: 100 }
  return {
    bad: 200_000,
    sent: 240_000,
    shed: 0,
    seconds: 100,
    statuses: {},
    routes: { '/login': 100 },
    recounts: 1,
    pace: 1,
    quiet: stretch(8),
    paced: { ...stretch(50, [50, 50, 50]), perSecond: 250 },
    attacked: stretch(1000),
    weight: { before: weight, after: weight },
    ...changes,
  }
}
const paced = (whole: number, marked: readonly number[]) => ({ ...stretch(whole, marked), perSecond: 250 })

const told = (changes: Partial<SiegeReport>) => shortcomings(report(changes), ['/login'], LIMITS)

describe('the good client while requests are paced', () => {
  it('has a p99 of 50 ms at most in the median of the pieces', () => {
    expect(told({})).toEqual([])
    expect(told({ paced: paced(60, [51, 10, 51]) })).toEqual([
      "the good client's p99 was 51.0 ms in the median at 250 requests a second",
    ])
  })

  it('may wait longer in a few of them, when somebody else has the cores', () => {
    expect(told({ paced: paced(90, [17, 300, 18, 17, 400, 18, 19, 200]) })).toEqual([])
  })

  it('is judged over the whole time too', () => {
    expect(told({ paced: paced(101, [17, 300, 18]) })).toEqual([
      "the good client's p99 was 101.0 ms at 250 requests a second",
    ])
  })

  it('is not judged where it waits without an attack, nor by who names no limit', () => {
    const slow = { paced: paced(500, [400, 500]) }
    expect(told({ ...slow, quiet: stretch(8.1) })).toEqual([])
    expect(shortcomings(report(slow), ['/login'])).toEqual([])
  })

  it('is in the middle of its pieces', () => {
    expect(
      [[], [3], [9, 1, 5], [9, 1, 5, 7]].map((marked) => medianOf(stretch(0, marked).bystander)),
    ).toEqual([0, 3, 5, 7])
  })
})

it('at full speed a p99 of a second is too long', () => {
  expect(told({ attacked: stretch(1001) })).toEqual(["the good client's p99 was 1001.0 ms"])
})

it('the thread may work 300 ms at one stretch, and longer as the good client waits longer without an attack', () => {
  const turn = (busyMax: number) => ({ ...stretch(10), loop: { ...LOOP, busyMax } })
  expect(told({ attacked: turn(300) })).toEqual([])
  expect(told({ attacked: turn(301) })).toEqual(['a turn of the event loop took 301 ms'])
  expect(told({ attacked: turn(600), quiet: stretch(16) })).toEqual([])
  expect(told({ paced: undefined, attacked: turn(601), quiet: stretch(16) })).toEqual([
    'a turn of the event loop took 601 ms',
  ])
})

it('the thread may work longer where the machine is slower at work with megabytes', () => {
  const turn = (busyMax: number) => ({ ...stretch(10), loop: { ...LOOP, busyMax } })
  expect(told({ pace: 1.5, attacked: turn(450) })).toEqual([])
  expect(told({ pace: 1.5, attacked: turn(451) })).toEqual(['a turn of the event loop took 451 ms'])
})

it('every route gets 0.05 % of the bad requests, where these are enough to say so', () => {
  expect(told({ routes: { '/login': 99 } })).toEqual(['/login got 99 bad requests'])
  expect(told({ bad: 3999, routes: {} })).toEqual([])
  expect(told({ bad: 4000, routes: { '/login': 1 } })).toEqual(['/login got 1 bad requests'])
})

it('memory may grow by a fifth', () => {
  const weight = (held: number, rss: number) => ({
    before: { rss: 100, held: 100, peak: 0 },
    after: { rss, held, peak: 0 },
  })
  expect(told({ weight: weight(120, 120) })).toEqual([])
  expect(told({ weight: weight(121, 121) })).toEqual([
    'memory (rss) went from 100 to 121 bytes',
    'memory (held) went from 100 to 121 bytes',
  ])
  // Resident memory settles only in longer sieges, so here it is not judged.
  expect(told({ bad: 139_999, weight: weight(100, 200) })).toEqual([])
})
