import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { type TestPlane, testPlane } from '@svc/testing'
import { sweepLoop } from '../../src/commands/serve/sweep-loop.ts'

let bench: TestPlane

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'performance'] })
  bench = testPlane()
})
afterEach(async () => {
  jest.useRealTimers()
  await bench[Symbol.asyncDispose]()
})

const SLOWEST_MS = 18_000
const QUICKEST_MS = 12_000

/** A job that has run longer than it may. */
async function overdue(): Promise<string> {
  const { plane, clock } = bench
  const { id: licenseId } = await bench.license()
  const { job } = await plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {}, timeoutSeconds: 60 })
  await plane.jobs.claim({ licenseId, fingerprint: 'f', claimKey: undefined })
  clock.advance({ seconds: 61 })
  return job.id
}

test('The queue is swept within 15 seconds, more or less a fifth, and again and again', async () => {
  await using _ = sweepLoop(bench.plane)
  const first = await overdue()
  await jest.advanceTimersByTimeAsync(QUICKEST_MS - 1)
  expect((await bench.plane.jobs.get(PLATFORM, first)).cancel).toBeUndefined()
  await jest.advanceTimersByTimeAsync(SLOWEST_MS - QUICKEST_MS + 1)
  expect((await bench.plane.jobs.get(PLATFORM, first)).cancel).toMatchObject({ reason: 'timeout' })
  const second = await overdue()
  await jest.advanceTimersByTimeAsync(SLOWEST_MS)
  expect((await bench.plane.jobs.get(PLATFORM, second)).cancel).toMatchObject({ reason: 'timeout' })
})

test('A sweep that fails is logged, and the next one comes all the same', async () => {
  const { plane } = bench
  let sweeps = 0
  const jobs = Object.assign(Object.create(plane.jobs), {
    sweep: async () => {
      sweeps += 1
      throw new Error('no database')
    },
  })
  await using _ = sweepLoop({ ...plane, jobs })
  await jest.advanceTimersByTimeAsync(2 * SLOWEST_MS)
  expect(sweeps).toBeGreaterThanOrEqual(2)
  expect(bench.log.lines.filter(({ level }) => level === 'error')).toHaveLength(sweeps)
})

test('Nothing is swept after the end', async () => {
  const id = await overdue()
  await sweepLoop(bench.plane)[Symbol.asyncDispose]()
  await jest.advanceTimersByTimeAsync(2 * SLOWEST_MS)
  expect((await bench.plane.jobs.get(PLATFORM, id)).cancel).toBeUndefined()
})
