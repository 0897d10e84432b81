import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
// @ts-expect-error: plain JavaScript
import { mayTake, NIGHT_SUITES, restingSuites, SAMPLES, TURN_SUITES } from './turns.js'

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

it('A suite that takes long has to take turns, unless it is a wall between tenants or the list of faults', () => {
  expect(mayTake('test/some.test.ts', 5)).toBe(true)
  expect(mayTake('test/some.test.ts', 25)).toBe(false)
  expect(mayTake(`${TURN_SUITES[0]}.test.ts`, 100)).toBe(true)
  for (const suite of ['packages/http/test/authorization/matrix', 'test/plant'])
    expect([suite, isFile(suite), mayTake(`${suite}.test.ts`, 100)]).toEqual([suite, true, true])
})
