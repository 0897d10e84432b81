import { expect, test } from '@jest/globals'
import { Scratch } from '../../../src/platform/database/scratch.ts'

const parts = (...texts: readonly string[]) => texts.map((text) => Buffer.from(text))

test('parts are lent one after the other, nothing before and nothing behind them', async () => {
  const scratch = new Scratch()
  await scratch.with(parts('a longer text than the next'), async () => {})
  const text = await scratch.with(parts('one', '', 'two'), async (joined) => joined.toString())
  expect(text).toBe('onetwo')
  expect(await scratch.with([], async ({ length }) => length)).toBe(0)
})

test('who works at the same time has a buffer of his own; it is used again when he is done, also when he failed', async () => {
  const scratch = new Scratch()
  const first = Promise.withResolvers<void>()
  const lent: Buffer[] = []
  const working = scratch.with(parts('first'), async (joined) => {
    lent.push(joined)
    await first.promise
    return joined.toString()
  })
  await scratch.with(parts('other'), async (joined) => void lent.push(joined))
  expect(lent[0]?.buffer).not.toBe(lent[1]?.buffer)
  await expect(
    scratch.with(parts('again'), async (joined) => {
      lent.push(joined)
      throw new Error('refused')
    }),
  ).rejects.toThrow('refused')
  expect(lent[2]?.buffer).toBe(lent[1]?.buffer)
  first.resolve()
  expect(await working).toBe('first')
  const buffers = new Set(lent.map(({ buffer }) => buffer))
  await scratch.with(parts('last'), async ({ buffer }) => expect(buffers).toContain(buffer))
})

test('what is longer than the buffers has its own, which nobody keeps', async () => {
  const scratch = new Scratch()
  const long = Buffer.alloc(300 * 1024, 'x')
  const taken: ArrayBufferLike[] = []
  for (let times = 0; times < 2; times += 1) {
    await scratch.with([long, Buffer.from('y')], async (joined) => {
      expect(joined.equals(Buffer.concat([long, Buffer.from('y')]))).toBe(true)
      taken.push(joined.buffer)
    })
  }
  expect(taken[0]).not.toBe(taken[1])
})
