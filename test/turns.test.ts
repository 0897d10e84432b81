import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
// @ts-expect-error: plain JavaScript
import { restingSuites, SAMPLES, TURN_SUITES } from './turns.js'

const root = join(import.meta.dirname, '..')
const numbers = Array.from({ length: SAMPLES as number }, (_, number) => number)
const rests = numbers.map((number) => new Set<string>(restingSuites(number)))

describe('Suites that take turns', () => {
  it.each(TURN_SUITES as readonly string[])('have files, run, and rest: %s', (suite) => {
    const file = join(root, `${suite}.test.ts`)
    expect(existsSync(file) && statSync(file).isFile()).toBe(true)
    const runs = rests.filter((resting) => !resting.has(suite)).length
    expect(runs).toBeGreaterThan(0)
    expect(runs).toBeLessThan(numbers.length)
    // Every part is drawn equally often.
    expect(SAMPLES % runs).toBe(0)
  })
})
