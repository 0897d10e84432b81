// The short ring: which suites are chosen, and which faults count as noticed.
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { listedFaults } from '../scripts/plant/fault.ts'
import { chosenRing, SHARE, shareOf } from '../scripts/ring/choose.ts'

const fault = (name: string, ...suites: string[]) => ({ name, file: 'a.ts', find: 'a', replace: 'b', suites })
const FAULTS = [
  fault('one', 'quick'),
  fault('two', 'quick'),
  fault('three', 'slow'),
  fault('four', 'slow', 'quick'),
]

test('A fault counts as noticed if all suites that are named for it are in the ring', () => {
  expect(shareOf(FAULTS, ['quick'])).toBe(0.5)
  expect(shareOf(FAULTS, ['quick', 'slow'])).toBe(1)
})

test('Suites are chosen by the faults that they notice a second, up to the seconds, without those of processes', () => {
  const named = [...FAULTS, fault('five', 'packages/cli/test/process/serve.test.ts')]
  const suites = ['slow', 'quick', 'packages/cli/test/process/serve.test.ts', 'untimed', 'idle']
  const seconds = new Map(
    suites.filter((each) => each !== 'untimed').map((each) => [each, each === 'slow' ? 20 : 2]),
  )
  const chosen = (most: number) => chosenRing({ faults: named, suites, seconds, most })
  expect(chosen(10)).toEqual(['quick'])
  expect(chosen(22)).toEqual(['quick', 'slow'])
  expect(chosen(1)).toEqual([])
})

test('The ring of `npm test` notices its share of the listed faults', async () => {
  const ring = JSON.parse(readFileSync(new URL('ring.json', import.meta.url), 'utf8')) as string[]
  expect(shareOf(await listedFaults(), ring)).toBeGreaterThanOrEqual(SHARE)
})
