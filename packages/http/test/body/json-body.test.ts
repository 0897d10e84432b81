// Long bodies: parsing one must not block the event loop for another.
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { readJson } from '../../src/exchange/body/json-body.ts'
import { RequestBytes } from '../../src/exchange/body/request-bytes.ts'

const MANY = 64 * 1024 * 1024
const LONG = Buffer.from(JSON.stringify({ text: 'x'.repeat(400_000) }))

const unhandled: unknown[] = []
const note = (reason: unknown) => unhandled.push(reason)

beforeEach(() => {
  unhandled.length = 0
  process.on('unhandledRejection', note)
})
afterEach(() => {
  process.off('unhandledRejection', note)
})

function read(chunks: readonly Buffer[], mostHeld = MANY): Promise<unknown> {
  const request = Object.assign(new PassThrough(), { headers: {} }) as unknown as IncomingMessage &
    PassThrough
  const value = readJson(
    request,
    { maxBytes: MANY, share: new RequestBytes(mostHeld).share() },
    (each) => each,
  )
  for (const chunk of chunks) request.write(chunk)
  request.end()
  return value
}

const halves = (body: Buffer) => [body.subarray(0, body.length / 2), body.subarray(body.length / 2)]

it('a long body is what it says, however it came', async () => {
  const text = { text: 'x'.repeat(400_000) }
  expect(await read([LONG])).toEqual(text)
  expect(await read(halves(LONG))).toEqual(text)
})

it('long bodies that end together are parsed in turns of their own', async () => {
  let turns = 0
  let isCounting = true
  const counting = (async () => {
    for (; isCounting; turns += 1) await turn()
  })()
  const had = await Promise.all(
    Array.from({ length: 4 }, async () => {
      await read([LONG])
      return turns
    }),
  )
  isCounting = false
  await counting
  expect(new Set(had).size).toBe(4)
})

it('a long body that is no JSON is refused, once', async () => {
  await expect(read([LONG.subarray(0, LONG.length - 1)])).rejects.toMatchObject({ code: 'invalid-json' })
  await turn()
  expect(unhandled).toEqual([])
})

it('of a long body that is refused before its end nothing is read, and nobody is told twice', async () => {
  const [begin, rest] = [LONG.subarray(0, 300_000), LONG.subarray(300_000)]
  await expect(read([begin, rest], begin.length)).rejects.toMatchObject({ code: 'unavailable' })
  for (let count = 0; count < 10; count += 1) await turn()
  expect(unhandled).toEqual([])
})
