import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { Scheduler } from '@svc/core/ports'
import { type TestPlane, testPlane } from '@svc/testing'
import { tickLoop } from '../../src/commands/serve/tick-loop.ts'

let bench: TestPlane

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'performance'] })
  bench = testPlane()
})
afterEach(async () => {
  jest.useRealTimers()
  await bench[Symbol.asyncDispose]()
})

const NOTHING = { ran: 0, changed: 0, alerted: 0, purgedChats: 0 }

/** The plane of the bench with a scheduler that the test directs. */
function ticking(tick: (signal?: AbortSignal) => Promise<typeof NOTHING>) {
  const { plane } = bench
  const scheduler = Object.assign(Object.create(plane.scheduler), { tick }) as Scheduler
  return { ...plane, scheduler }
}

test('The first tick comes soon after the start, the others every so many seconds, more or less a tenth', async () => {
  let ticks = 0
  const plane = ticking(async () => {
    ticks += 1
    return NOTHING
  })
  await using _ = tickLoop(plane, 60)
  await jest.advanceTimersByTimeAsync(2200)
  expect(ticks).toBe(1)
  await jest.advanceTimersByTimeAsync(53_000)
  expect(ticks).toBe(1)
  await jest.advanceTimersByTimeAsync(13_000)
  expect(ticks).toBe(2)
  await jest.advanceTimersByTimeAsync(66_000)
  expect(ticks).toBeGreaterThanOrEqual(3)
})

test('A tick that fails is logged, and the next one comes all the same', async () => {
  const plane = ticking(() => Promise.reject(new Error('no database')))
  await using _ = tickLoop(plane, 60)
  await jest.advanceTimersByTimeAsync(140_000)
  expect(bench.log.messages('error').length).toBeGreaterThanOrEqual(2)
})

test('A tick that is under way at the end is told so and waited for', async () => {
  let ended = false
  const plane = ticking(
    (signal) =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => {
          ended = true
          resolve(NOTHING)
        })
      }),
  )
  const loop = tickLoop(plane, 60)
  await jest.advanceTimersByTimeAsync(2200)
  await loop[Symbol.asyncDispose]()
  expect(ended).toBe(true)
})

test('Nothing ticks after the end', async () => {
  let ticks = 0
  const plane = ticking(async () => {
    ticks += 1
    return NOTHING
  })
  await tickLoop(plane, 60)[Symbol.asyncDispose]()
  await jest.advanceTimersByTimeAsync(200_000)
  expect(ticks).toBe(0)
})
