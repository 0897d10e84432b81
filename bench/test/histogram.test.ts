import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Histogram } from '../src/measure/histogram.ts'

const of = (values: readonly number[]): Histogram => {
  const histogram = new Histogram()
  for (const value of values) histogram.record(value)
  return histogram
}

/** The buckets are 1/32 wide at most. */
const WIDTH = 1 / 32

describe('a histogram of latencies', () => {
  test('an empty one says 0', () => {
    expect(of([]).quantile(0.99)).toBe(0)
    expect(of([]).count).toBe(0)
  })

  test('small values are kept exactly', () => {
    const histogram = of(Array.from({ length: 60 }, (_, value) => value))
    expect(histogram.quantile(0.5)).toBe(29)
    expect(histogram.quantile(1)).toBe(59)
    expect(histogram.max).toBe(59)
  })

  test('every quantile is the exact one or above it by less than the width of a bucket', () => {
    const values = fc.array(fc.integer({ min: 0, max: 100_000_000 }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(values, fc.double({ min: 0.01, max: 1, noNaN: true }), (given, q) => {
        const sorted = given.toSorted((a, b) => a - b)
        const exact = sorted[Math.max(1, Math.ceil(sorted.length * q)) - 1] ?? 0
        const found = of(given).quantile(q)
        expect(found).toBeGreaterThanOrEqual(exact)
        expect(found).toBeLessThanOrEqual(exact * (1 + WIDTH) + 1)
      }),
    )
  })

  test('parts that travelled as JSON merge into what one would have recorded', () => {
    const [one, other] = [
      [1, 500, 70_000],
      [3, 3, 2_000_000],
    ]
    const travelled = (values: readonly number[]) => JSON.parse(JSON.stringify(of(values)))
    const merged = new Histogram().merge(travelled(one)).merge(travelled(other))
    expect(merged.toJSON()).toEqual(of([...one, ...other]).toJSON())
    expect(merged.count).toBe(6)
    expect(merged.max).toBe(2_000_000)
  })
})
