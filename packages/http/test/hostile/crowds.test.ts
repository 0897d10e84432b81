// A hundred thousand clients that are never the same: what the service remembers of them is bounded.
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { MemoryRateCounter } from '@svc/core'
import { FakeClock, testPlane } from '@svc/testing'
import { createApp, listen } from '../../src/index.ts'
import { Pipeline, type WireRequest } from './pipeline.ts'

const CROWD = 100_000
const BATCH = 500
const MAX_WINDOWS = 100_000

const clock = new FakeClock()
let counter: MemoryRateCounter
let pipeline: Pipeline
let close: () => Promise<void>

beforeEach(async () => {
  counter = new MemoryRateCounter(clock)
  const faked = testPlane({ clock, parts: { rateCounter: counter } })
  const server = await listen(createApp(faked.plane), { host: '127.0.0.1', port: 0 })
  pipeline = new Pipeline(server.port)
  close = async () => {
    pipeline[Symbol.dispose]()
    await server.cut()
    await faked[Symbol.asyncDispose]()
  }
})
afterEach(() => close())

const requestOf = (method: string, path: string, ...headers: string[]): WireRequest => ({
  isHead: false,
  bytes: Buffer.from([`${method} ${path} HTTP/1.1`, 'Host: here', ...headers, '', ''].join('\r\n')),
})

/** Sends one request of each member; how often each status came. */
async function crowd(
  size: number,
  request: (member: number) => WireRequest,
): Promise<Record<number, number>> {
  const counts: Record<number, number> = {}
  for (let first = 0; first < size; first += BATCH) {
    const requests = Array.from({ length: BATCH }, (_, index) => request(first + index))
    for (const { status } of await pipeline.send(requests)) counts[status] = (counts[status] ?? 0) + 1
  }
  return counts
}

const NOBODY = 'Content-Length: 0'

it('100,000 addresses with as many keys are all answered, and open no more windows than the counter keeps', async () => {
  const stranger = (member: number) =>
    requestOf(
      'POST',
      '/v1/license/activate',
      NOBODY,
      `X-Forwarded-For: 10.${member >> 16}.${(member >> 8) & 255}.${member & 255}`,
      `Authorization: Bearer key-${member}`,
    )
  expect(await crowd(CROWD, stranger)).toEqual({ 403: CROWD })
  expect(counter.size).toBeLessThanOrEqual(MAX_WINDOWS)
  const held = counter.size
  clock.advance({ minutes: 2 })
  await crowd(BATCH, stranger)
  expect(counter.size).toBeLessThan(held)
}, 120_000)

it('unknown keys open no window at all', async () => {
  const unknown = (member: number) =>
    requestOf('POST', '/v1/jobs/claim', NOBODY, `Authorization: Bearer key-${member}`)
  expect(await crowd(10_000, unknown)).toEqual({ 401: 10_000 })
  expect(counter.size).toBe(0)
}, 120_000)
