import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
// @ts-expect-error: plain JavaScript
import { NIGHT_SUITES, restingSuites, SAMPLES, TURN_SUITES } from './turns.js'

const root = join(import.meta.dirname, '..')
const numbers = Array.from({ length: SAMPLES as number }, (_, number) => number)
const rests = numbers.map((number) => new Set<string>(restingSuites(number)))

const isFile = (suite: string) => {
  const file = join(root, `${suite}.test.ts`)
  return existsSync(file) && statSync(file).isFile()
}

it.each(NIGHT_SUITES as readonly string[])(
  'A suite of the night has a file, and rests by day: %s',
  (suite) => {
    expect(isFile(suite)).toBe(true)
    expect(rests.every((resting) => resting.has(suite))).toBe(true)
  },
)

describe('Suites that take turns', () => {
  it.each(TURN_SUITES as readonly string[])('have files, run, and rest: %s', (suite) => {
    expect(isFile(suite)).toBe(true)
    const runs = rests.filter((resting) => !resting.has(suite)).length
    expect(runs).toBeGreaterThan(0)
    expect(runs).toBeLessThan(numbers.length)
    // Every part is drawn equally often.
    expect(SAMPLES % runs).toBe(0)
  })
})
