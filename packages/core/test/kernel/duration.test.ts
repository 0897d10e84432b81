import { expect, it } from '@jest/globals'
import { duration } from '../../src/kernel/duration.ts'

it.each([
  [-5, '0s'],
  [0.9, '0s'],
  [1, '1s'],
  [59, '59s'],
  [60, '1m'],
  [174, '2m 54s'],
  [3600, '1h'],
  [3605, '1h'],
  [7800, '2h 10m'],
  [86_400 + 2400, '1d'],
  [4 * 86_400 + 3 * 3600, '4d 3h'],
  [2521 * 86_400 + 40 * 60, '2521d'],
])('%d seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text)
})
