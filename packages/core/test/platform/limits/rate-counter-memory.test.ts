import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { MAX_WINDOWS, MemoryRateCounter } from '../../../src/platform/limits/rate-counter-memory.ts'
import { judge, type RateLimit } from '../../../src/platform/limits/rate-limits.ts'
import { movableClock } from './movable-clock.ts'

const START = new Date('2026-01-01T00:00:00.000Z')
const limitOf = (name: string, windowSeconds = 60): RateLimit => ({ name, limit: 3, windowSeconds })

function counterAt(start = START) {
  const clock = movableClock(start)
  return { clock, counter: new MemoryRateCounter(clock) }
}

async function flood(counter: MemoryRateCounter, limit: RateLimit, from: number, to: number) {
  for (let index = from; index < to; index += 1) await counter.count(limit, `subject-${index}`)
}

describe('the memory of the counter', () => {
  const busy = limitOf('busy')

  test('holds 100,000 windows at most, however many subjects come, and drops the oldest first', async () => {
    const { counter } = counterAt()
    await flood(counter, busy, 0, 200_000)
    expect(counter.size).toBe(MAX_WINDOWS)
    expect((await counter.count(busy, 'subject-199999')).count).toBe(2)
    expect((await counter.count(busy, 'subject-100000')).count).toBe(2)
    expect((await counter.count(busy, 'subject-99999')).count).toBe(1)
  })

  test('keeps the windows of another limit while one is flooded', async () => {
    const { counter } = counterAt()
    const quiet = limitOf('quiet')
    await counter.count(quiet, 'somebody')
    await flood(counter, busy, 0, MAX_WINDOWS + 50_000)
    expect((await counter.count(quiet, 'somebody')).count).toBe(2)
    expect(counter.size).toBe(MAX_WINDOWS)
  })

  test('loses ended windows as new ones open, those of other limits too', async () => {
    const { clock, counter } = counterAt()
    await flood(counter, busy, 0, 1000)
    clock.advance(60_000)
    await flood(counter, limitOf('other'), 0, 250)
    expect(counter.size).toBe(250)
  })

  test('keeps a long window that is open while short ones around it end', async () => {
    const { clock, counter } = counterAt()
    const long = limitOf('long', 900)
    await counter.count(long, 'somebody')
    for (let minute = 0; minute < 14; minute += 1) {
      await flood(counter, busy, minute * 100, minute * 100 + 100)
      clock.advance(60_000)
    }
    expect(await counter.count(long, 'somebody')).toEqual({ count: 2, windowLeftMs: 60_000 })
    expect(counter.size).toBeLessThanOrEqual(102)
  })
})

describe('the time of the counter', () => {
  test('is the argument when there is one, else its own clock', async () => {
    const { counter } = counterAt()
    const later = new Date(START.getTime() + 45_000)
    expect((await counter.count(limitOf('a'), 's')).windowLeftMs).toBe(60_000)
    expect((await counter.count(limitOf('a'), 's', later)).windowLeftMs).toBe(15_000)
  })

  test('that is set back an hour locks nobody out', async () => {
    const { clock, counter } = counterAt()
    await flood(counter, limitOf('a'), 0, 1)
    clock.advance(-3_600_000)
    expect(await counter.count(limitOf('a'), 'subject-0')).toEqual({ count: 1, windowLeftMs: 60_000 })
  })
})

describe('the counter', () => {
  test('gives concurrent requests of one subject distinct counts', async () => {
    const { counter } = counterAt()
    const counted = await Promise.all(Array.from({ length: 50 }, () => counter.count(limitOf('a'), 's')))
    expect(counted.map(({ count }) => count).sort((a, b) => a - b)).toEqual([...Array(51).keys()].slice(1))
  })

  test('agrees with the plainest model: all requests since the one that opened the window', async () => {
    const step = fc.record({
      waitMs: fc.oneof(
        fc.constant(0),
        fc.integer({ min: 0, max: 3_000 }),
        fc.constantFrom(999, 1_000, 1_001),
      ),
      limit: fc.constantFrom(limitOf('a', 1), { ...limitOf('b', 2), limit: 1 }),
      subject: fc.constantFrom('x', 'y', 'z'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
        const { clock, counter } = counterAt()
        const model = new Map<string, number[]>()
        for (const { waitMs, limit, subject } of steps) {
          clock.advance(waitMs)
          const nowMs = clock.now().getTime()
          const name = `${limit.name}:${subject}`
          const earlier = model.get(name) ?? []
          const over = nowMs - (earlier[0] ?? nowMs) >= limit.windowSeconds * 1000
          const requests = over ? [nowMs] : [...earlier, nowMs]
          model.set(name, requests)
          const leftMs = (requests[0] ?? nowMs) + limit.windowSeconds * 1000 - nowMs
          expect(judge(limit, await counter.count(limit, subject))).toEqual({
            allowed: requests.length <= limit.limit,
            retryAfterSeconds: Math.ceil(leftMs / 1000),
            remaining: Math.max(0, limit.limit - requests.length),
            isFlooding: requests.length > 4 * limit.limit,
          })
        }
      }),
      { numRuns: 300 },
    )
  })
})
