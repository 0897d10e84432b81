import { describe, expect, it } from '@jest/globals'
import { retryDelay, spreadOf } from '../../../src/platform/deliveries/retry.ts'

const POLICY = { retrySeconds: [5, 300, 7200], jitter: 0.2 }
const delay = (attempts: number, outcome = {}, id = 'dlv_1') => retryDelay({ id, attempts }, outcome, POLICY)

describe('the delay before a retry', () => {
  it('follows the schedule within its jitter', () => {
    for (const [attempts, scheduled] of [
      [1, 5],
      [2, 300],
      [3, 7200],
      [4, 7200],
    ] as const) {
      const delays = Array.from({ length: 200 }, (_, each) => delay(attempts, {}, `dlv_${each}`))
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(scheduled * 0.8)
      expect(Math.max(...delays)).toBeLessThanOrEqual(scheduled * 1.2)
      expect(new Set(delays).size).toBeGreaterThan(190)
    }
  })

  it('is the same for every replica, and another for the next attempt', () => {
    expect(spreadOf('dlv_1 1', 0.2)).toBe(spreadOf('dlv_1 1', 0.2))
    expect(spreadOf('dlv_1 1', 0.2)).not.toBe(spreadOf('dlv_1 2', 0.2))
    expect(spreadOf('dlv_1 1', 0)).toBe(1)
  })

  it('is at least the rest that an overloaded receiver needs', () => {
    expect(delay(1, { restSeconds: 60 })).toBe(60)
    expect(delay(2, { restSeconds: 60 })).toBe(delay(2))
  })

  it.each([
    ['less than the schedule', 2, 1, (scheduled: number) => scheduled],
    ['a time within an hour', 2, 3000, () => 3000],
    ['more than an hour', 2, 999_999_999_999, () => 3600],
    ['more than twice a long delay', 3, 999_999_999_999, (scheduled: number) => 2 * scheduled],
  ])('clamps %s', (_, attempts, retryAfterSeconds, expected) => {
    expect(delay(attempts, { retryAfterSeconds })).toBe(expected(delay(attempts)))
  })
})
