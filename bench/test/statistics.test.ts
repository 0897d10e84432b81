import { describe, expect, test } from '@jest/globals'
import { interleaved } from '../src/measure/interleave.ts'
import { median, pairedRatio, spreadOf } from '../src/measure/statistics.ts'

describe('statistics of rounds', () => {
  test('the median is the middle one, or the mean of the two in the middle, whatever their order', () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(median([10, 2, 1, 4])).toBe(3)
    expect(median([7])).toBe(7)
    expect(median([])).toBeNaN()
  })

  test('the median leaves what it was given as it was', () => {
    const given = [3, 1, 2]
    median(given)
    expect(given).toEqual([3, 1, 2])
  })

  test('a spread says the least and the most beside the median', () => {
    expect(spreadOf([5, 1, 3])).toEqual({ median: 3, min: 1, max: 5 })
  })

  test('a ratio is taken round by round: what slowed both in a round cancels out', () => {
    // Twice as quick in each round, while the machine became ten times slower.
    expect(pairedRatio([200, 20, 2], [100, 10, 1])).toEqual({ median: 2, min: 2, max: 2 })
    // The ratio of the two medians would be 1.
    expect(pairedRatio([10, 20, 30], [20, 10, 20]).median).toBe(1.5)
  })

  test('a round that one variant lacks is left out', () => {
    expect(pairedRatio([4, 6], [2])).toEqual({ median: 2, min: 2, max: 2 })
  })
})

test('variants go in turns, the order reversed every other round', () => {
  expect(interleaved(['a', 'b', 'c'], 3)).toEqual([
    ['a', 'b', 'c'],
    ['c', 'b', 'a'],
    ['a', 'b', 'c'],
  ])
})
