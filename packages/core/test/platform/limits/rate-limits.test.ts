import { describe, expect, test } from '@jest/globals'
import type { Clock } from '../../../src/kernel/clock.ts'
import type { RateCounter } from '../../../src/platform/limits/rate-counter.ts'
import { MemoryRateCounter } from '../../../src/platform/limits/rate-counter-memory.ts'
import type { RateLimit } from '../../../src/platform/limits/rate-limits.ts'
import { RateLimits, subjectDigest } from '../../../src/platform/limits/rate-limits.ts'
import { movableClock } from './movable-clock.ts'

const START = new Date('2026-01-01T00:00:00.250Z')
const perMinute = (name: string, limit: number) => ({ name, limit, windowSeconds: 60 })
const ACTIVATE = perMinute('activate', 10)
const HEARTBEAT = perMinute('heartbeat', 30)

function limitsAt(clock: Clock) {
  return new RateLimits({ clock, counter: new MemoryRateCounter(clock) })
}

async function takeMany(limits: RateLimits, limit: RateLimit, times: number) {
  const verdicts = []
  for (let index = 0; index < times; index += 1) verdicts.push(await limits.take(limit, 'subject'))
  return verdicts
}

describe('a limit', () => {
  test.each([1, 10, 15, 240])(
    'lets its number of requests a minute pass and not one more: %i',
    async (limit) => {
      const given = perMinute('some', limit)
      const clock = movableClock(START)
      const limits = limitsAt(clock)
      const verdicts = await takeMany(limits, given, limit + 1)
      expect(verdicts.map(({ allowed }) => allowed)).toEqual([...Array(limit).fill(true), false])
      expect(verdicts.map(({ remaining }) => remaining)).toEqual([...Array(limit).keys()].reverse().concat(0))
      clock.advance(59_999)
      expect((await limits.take(given, 'subject')).allowed).toBe(false)
      clock.advance(1)
      expect(await limits.take(given, 'subject')).toEqual({
        allowed: true,
        remaining: limit - 1,
        retryAfterSeconds: 60,
        isFlooding: false,
      })
    },
  )

  test('floods who asks more than four times as often as is allowed', async () => {
    const verdicts = await takeMany(limitsAt(movableClock(START)), HEARTBEAT, 122)
    expect(verdicts.map(({ isFlooding }) => isFlooding)).toEqual([...Array(120).fill(false), true, true])
  })

  test('counts subjects apart from each other, and names apart from each other', async () => {
    const limits = limitsAt(movableClock(START))
    await takeMany(limits, ACTIVATE, 11)
    expect((await limits.take(ACTIVATE, 'subject')).allowed).toBe(false)
    expect((await limits.take(ACTIVATE, 'another')).allowed).toBe(true)
    expect((await limits.take(HEARTBEAT, 'subject')).allowed).toBe(true)
  })
})

describe('the window', () => {
  test('opens with the first request and is not lengthened by later ones, refused ones included', async () => {
    const clock = movableClock(START)
    const limits = limitsAt(clock)
    await takeMany(limits, ACTIVATE, 5)
    clock.advance(59_000)
    await takeMany(limits, ACTIVATE, 20)
    clock.advance(1_000)
    expect((await limits.take(ACTIVATE, 'subject')).remaining).toBe(9)
  })

  test('is not aligned to the minute', async () => {
    const clock = movableClock(new Date('2026-01-01T00:00:59.000Z'))
    const limits = limitsAt(clock)
    await takeMany(limits, ACTIVATE, 10)
    clock.advance(30_000)
    expect((await limits.take(ACTIVATE, 'subject')).allowed).toBe(false)
  })
})

describe('Retry-After', () => {
  test.each([0, 1, 400, 999, 1_000, 1_001, 30_500, 58_999, 59_000, 59_001, 59_999])(
    'is enough, and one second less is not, %i ms into the window',
    async (elapsedMs) => {
      const clock = movableClock(START)
      const limits = limitsAt(clock)
      await takeMany(limits, ACTIVATE, 10)
      clock.advance(elapsedMs)
      const { retryAfterSeconds } = await limits.take(ACTIVATE, 'subject')
      expect(Number.isInteger(retryAfterSeconds) && retryAfterSeconds >= 1).toBe(true)
      clock.advance((retryAfterSeconds - 1) * 1000)
      expect((await limits.take(ACTIVATE, 'subject')).allowed).toBe(false)
      clock.advance(1000)
      expect((await limits.take(ACTIVATE, 'subject')).allowed).toBe(true)
    },
  )
})

describe('what the counter is given', () => {
  const seen: unknown[][] = []
  const counter: RateCounter = {
    backend: 'postgres',
    count: async (...given) => {
      seen.push(given)
      return { count: 1, windowLeftMs: 1 }
    },
  }

  test('is a digest of 16 bytes and never the address, and in production no time of ours', async () => {
    const clock = { now: () => START, statementTime: () => undefined }
    const limits = new RateLimits({ clock, counter })
    await limits.take(ACTIVATE, '203.0.113.9')
    expect(seen).toEqual([[ACTIVATE, subjectDigest('203.0.113.9'), undefined]])
    expect(Buffer.from(subjectDigest('203.0.113.9'), 'base64url')).toHaveLength(16)
    expect(JSON.stringify(seen)).not.toContain('203.0.113.9')
    expect(limits.backend).toBe('postgres')
  })

  test('is the id of a license as it is', async () => {
    const limits = new RateLimits({ clock: { now: () => START, statementTime: () => undefined }, counter })
    await limits.takeByLicense(HEARTBEAT, 'lic_1')
    expect(seen.at(-1)).toEqual([HEARTBEAT, 'lic_1', undefined])
  })

  test('is told of each license that was refused, and of no other subject', async () => {
    const refused: string[] = []
    const clock = movableClock(START)
    const limits = new RateLimits({
      clock,
      counter: new MemoryRateCounter(clock),
      refused: (licenseId) => refused.push(licenseId),
    })
    const once = perMinute('once', 1)
    for (let count = 0; count < 3; count += 1) await limits.takeByLicense(once, 'lic_1')
    await takeMany(limits, perMinute('other', 1), 3)
    expect(refused).toEqual(['lic_1', 'lic_1'])
  })
})
