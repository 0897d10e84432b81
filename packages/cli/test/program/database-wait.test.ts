import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { Problem, type Storage } from '@svc/core'
import type { StorageHealth } from '@svc/core/ports'
import { FakeClock, FakeTimers, memoryStorage, type TestPlane, testPlane } from '@svc/testing'
import { databaseWait } from '../../src/commands/serve/database-wait.ts'

let timers: FakeTimers
let bench: TestPlane
let looks: number
let answer: () => Promise<StorageHealth>
let wait: AsyncDisposable
let good: number
const faults: unknown[] = []

const migrations = { applied: [], pending: [], drifted: [] }
const health =
  (change: Partial<StorageHealth> = {}) =>
  async () => ({
    latencyMs: 1,
    now: bench.clock.now(),
    missingTables: [],
    migrations,
    ...change,
  })
const away = () => Promise.reject(new Problem('unavailable', { detail: 'the database is away' }))

/** Begins to wait on a database that answers as the test says. */
function begin(onGood = () => {}): void {
  wait = databaseWait({
    plane: bench.plane,
    // Nobody listens there.
    server: { url: 'postgres://nobody@127.0.0.1:1/nothing' },
    mayMigrate: false,
    onGood: () => {
      good += 1
      onGood()
    },
    onFault: (fault) => faults.push(fault),
  })
}

beforeEach(() => {
  const clock = new FakeClock()
  timers = new FakeTimers(clock)
  const storage: Storage = {
    ...memoryStorage(clock),
    kind: 'postgresql',
    health: () => {
      looks += 1
      return answer()
    },
  }
  bench = testPlane({ clock, storage, parts: { timers } })
  looks = 0
  good = 0
  faults.length = 0
  answer = away
})
afterEach(async () => {
  await wait[Symbol.asyncDispose]()
  await bench[Symbol.asyncDispose]()
})

const said = () => bench.log.lines.map(({ fields }) => fields.waits_for)

test('A good database is begun with at its first look, once, and looked at no more', async () => {
  answer = health()
  begin()
  await timers.advance({ seconds: 60 })
  expect({ looks, good, waiting: timers.waiting }).toEqual({ looks: 1, good: 1, waiting: 0 })
  expect(bench.log.lines).toEqual([])
})

test('It looks again soon, then less and less often, but at least every four seconds', async () => {
  begin()
  await timers.advance(0)
  const seen: number[] = []
  for (let second = 0; second < 20; second += 1) {
    await timers.advance({ seconds: 1 })
    seen.push(looks)
  }
  // After 0, 0.25, 0.75, 1.75, 3.75 and 7.75 seconds, then every 4.
  expect(seen.slice(0, 8)).toEqual([3, 4, 4, 5, 5, 5, 5, 6])
  expect(seen.at(-1)).toBe(9)
})

test('What is waited for is said when it changes and once a minute, not at each look', async () => {
  begin()
  await timers.advance({ seconds: 50 })
  expect(said()).toEqual(['the database is away'])
  await timers.advance({ seconds: 20 })
  expect(said()).toEqual(['the database is away', 'the database is away'])
  answer = health({ migrations: { ...migrations, pending: ['0001-x'] } })
  await timers.advance({ seconds: 10 })
  expect(said().slice(2)).toEqual(['the database is not migrated: run svc migrate, or start with --migrate'])
})

test.each<[string, Partial<StorageHealth>]>([
  ['is not migrated', { migrations: { ...migrations, pending: ['0001-x'] } }],
  ['has drifted', { migrations: { ...migrations, drifted: ['0001-x'] } }],
  ['is ahead of this release', { migrations: { ...migrations, ahead: ['9999-later'] } }],
  ['tables are missing', { missingTables: ['agents'] }],
])('Nothing is begun with while the database: %s', async (words, change) => {
  answer = health(change)
  begin()
  await timers.advance({ seconds: 30 })
  expect(good).toBe(0)
  expect(said()[0]).toContain(words)
  answer = health()
  await timers.advance({ seconds: 4 })
  expect(good).toBe(1)
})

test('Disposed in the middle of a look, it begins nothing, whatever the look finds', async () => {
  const look = Promise.withResolvers<StorageHealth>()
  answer = () => look.promise
  begin()
  await timers.advance({ seconds: 1 })
  const disposed = wait[Symbol.asyncDispose]()
  look.resolve(await health()())
  await disposed
  expect(good).toBe(0)
})

test('A service that cannot begin is a fault that somebody hears of', async () => {
  answer = health()
  const fault = new Error('no')
  begin(() => {
    throw fault
  })
  await timers.advance({ seconds: 1 })
  expect(faults).toEqual([fault])
})
