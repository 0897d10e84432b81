import { describe, expect, it } from '@jest/globals'
import { Problem } from '@svc/core'
import fc from 'fast-check'
import { Batch } from '../../../src/platform/database/batch.ts'

interface Item {
  readonly key: string
  readonly value: number
}

/** Makes a statement that ends when the test decides. */
function gated() {
  const sent: { readonly items: readonly Item[]; readonly end: (error?: unknown) => void }[] = []
  const run = (items: readonly Item[]) =>
    new Promise<readonly number[]>((resolve, reject) => {
      const end = (error?: unknown) =>
        error === undefined ? resolve(items.map(({ value }) => value)) : reject(error)
      sent.push({ items, end })
    })
  return { sent, run }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
const item = (value: number, key = `k${value}`): Item => ({ key, value })
const valuesOf = (items: readonly Item[] | undefined) => items?.map(({ value }) => value)

describe('natural group commit', () => {
  it('what arrives together travels together, and each caller gets its own answer', async () => {
    const { sent, run } = gated()
    const batch = new Batch({ run })
    const answers = [1, 2, 3].map((value) => batch.add(item(value)))
    await turn()
    expect(sent.map(({ items }) => valuesOf(items))).toEqual([[1, 2, 3]])
    sent[0]?.end()
    expect(await Promise.all(answers)).toEqual([1, 2, 3])
  })

  it('two statements are under way at most; what comes meanwhile waits for the next', async () => {
    const { sent, run } = gated()
    const batch = new Batch({ run })
    const answers = []
    for (const value of [1, 2, 3, 4]) {
      answers.push(batch.add(item(value)))
      await turn()
    }
    expect(sent.map(({ items }) => valuesOf(items))).toEqual([[1], [2]])
    sent[0]?.end()
    await turn()
    expect(valuesOf(sent[2]?.items)).toEqual([3, 4])
    for (const { end } of sent) end()
    expect(await Promise.all(answers)).toEqual([1, 2, 3, 4])
  })

  it('those that may go early go by sixteen while more come, on lanes that are free', async () => {
    const { sent, run } = gated()
    let early = true
    const batch = new Batch({ run, mayFlushEarly: () => early })
    const answers = Array.from({ length: 40 }, (_, value) => batch.add(item(value)))
    expect(sent.map(({ items }) => items.length)).toEqual([16, 16])
    await turn()
    expect(sent).toHaveLength(2)
    early = false
    sent[0]?.end()
    await turn()
    expect(sent.map(({ items }) => items.length)).toEqual([16, 16, 8])
    for (const { end } of sent) end()
    await turn()
    for (let value = 40; value < 60; value += 1) answers.push(batch.add(item(value)))
    expect(sent).toHaveLength(3)
    await turn()
    expect(sent[3]?.items).toHaveLength(20)
    sent[3]?.end()
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 60 }, (_, value) => value))
  })

  it.each([
    [32, 16],
    [48, 24],
    [64, 32],
    [100, 50],
    [256, 128],
  ])('a crowd of %i that comes again and again goes in halves: %i in each statement', async (crowd, half) => {
    const { sent, run } = gated()
    const batch = new Batch({ run, mayFlushEarly: () => true, elapsedMs: () => 0 })
    let left = 20 * crowd
    const caller = async (value: number) => {
      for (; left > 0; left -= 1) await batch.add(item(value))
    }
    const callers = Array.from({ length: crowd }, (_, value) => caller(value))
    await turn()
    for (let done = 0; done < sent.length; done += 1) {
      sent[done]?.end()
      await turn()
    }
    await Promise.all(callers)
    expect(sent.slice(10, 30).map(({ items }) => items.length)).toEqual(new Array(20).fill(half))
  })

  it('a crowd that waits for one key is not looked through with each that joins it', async () => {
    const { sent, run } = gated()
    let looks = 0
    const serialKeyOf = ({ key }: Item) => {
      looks += 1
      return key
    }
    const batch = new Batch({ run, serialKeyOf, mayFlushEarly: () => true })
    const [first] = Array.from({ length: 1000 }, (_, value) => batch.add(item(value, 'a')).catch(() => -1))
    expect(looks).toBeLessThan(50_000)
    sent[0]?.end()
    expect(await first).toBe(0)
  })

  it('nobody goes early while statements take long, until some do not', async () => {
    const { sent, run } = gated()
    let now = 0
    const batch = new Batch({ run, mayFlushEarly: () => true, elapsedMs: () => now })
    const crowd = () => Array.from({ length: 20 }, (_, value) => batch.add(item(value)))
    const statement = async (ms: number) => {
      const answer = batch.add(item(0))
      await turn()
      now += ms
      sent.at(-1)?.end()
      await answer
    }
    for (let slow = 0; slow < 60; slow += 1) await statement(10)
    const before = sent.length
    const together = crowd()
    expect(sent).toHaveLength(before)
    await turn()
    expect(sent.at(-1)?.items).toHaveLength(20)
    now += 0.5
    sent.at(-1)?.end()
    await Promise.all(together)
    const apart = crowd()
    expect(sent.at(-1)?.items).toHaveLength(16)
    await turn()
    for (const { end } of sent) end()
    await Promise.all(apart)
  })

  it('where statements only follow each other, everything that has come is in the next', async () => {
    const { sent, run } = gated()
    const batch = new Batch({ run, lanes: 1, mayFlushEarly: () => true })
    const answers = Array.from({ length: 40 }, (_, value) => batch.add(item(value)))
    await turn()
    answers.push(batch.add(item(40)))
    await turn()
    expect(sent.map(({ items }) => items.length)).toEqual([40])
    sent[0]?.end()
    await turn()
    expect(sent.map(({ items }) => items.length)).toEqual([40, 1])
    sent[1]?.end()
    await Promise.all(answers)
  })

  it('who has waited for two seconds is told to come back, and does not wait through another stuck statement', async () => {
    const { sent, run } = gated()
    let now = 0
    const batch = new Batch({ run, serialKeyOf: ({ key }: Item) => key, elapsedMs: () => now })
    const first = batch.add(item(1, 'a'))
    await turn()
    const second = batch.add(item(2, 'a')).catch((error: unknown) => error)
    now = 1500
    const third = batch.add(item(3, 'a'))
    now = 2001
    sent[0]?.end()
    expect(await first).toBe(1)
    expect(await second).toMatchObject({ code: 'unavailable', data: { retryAfterSeconds: 1 } })
    sent[1]?.end()
    expect(await third).toBe(3)
    expect(sent.map(({ items }) => valuesOf(items))).toEqual([[1], [3]])
  })

  it('items of one key never travel together or at once, and keep their order', async () => {
    const { sent, run } = gated()
    const batch = new Batch({ run, serialKeyOf: ({ key }: Item) => key })
    const answers = [item(1, 'a'), item(2, 'a'), item(3, 'b'), item(4, 'a')].map((each) => batch.add(each))
    await turn()
    expect(sent.map(({ items }) => valuesOf(items))).toEqual([[1, 3]])
    sent[0]?.end()
    await turn()
    expect(valuesOf(sent[1]?.items)).toEqual([2])
    sent[1]?.end()
    await turn()
    expect(valuesOf(sent[2]?.items)).toEqual([4])
    sent[2]?.end()
    expect(await Promise.all(answers)).toEqual([1, 2, 3, 4])
  })

  it('a bad item fails alone, wherever it stands', async () => {
    const numbers = fc.uniqueArray(fc.nat(63), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(numbers, async (bad) => {
        let statements = 0
        const run = async (items: readonly Item[]) => {
          statements += 1
          if (items.some(({ value }) => bad.includes(value))) throw new Error('22021')
          return items.map(({ value }) => value)
        }
        const batch = new Batch({ run })
        const settled = await Promise.allSettled(
          Array.from({ length: 64 }, (_, value) => batch.add(item(value))),
        )
        const failed = settled.flatMap(({ status }, value) => (status === 'rejected' ? [value] : []))
        expect(failed).toEqual([...bad].sort((one, other) => one - other))
        // One bad item in 64 takes the whole batch, then six pairs of halves.
        if (bad.length === 1) expect(statements).toBe(13)
      }),
      { numRuns: 50 },
    )
  })

  it('an absent database fails all at once, without asking again', async () => {
    let statements = 0
    const run = () => {
      statements += 1
      return Promise.reject(new Problem('unavailable'))
    }
    const batch = new Batch<Item, number>({ run })
    const settled = await Promise.allSettled([1, 2, 3].map((value) => batch.add(item(value))))
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(statements).toBe(1)
  })

  it('a queue without end is refused, with a time to come back', async () => {
    const { sent, run } = gated()
    const batch = new Batch({ run })
    const waiting = Array.from({ length: 5000 }, (_, value) => batch.add(item(value)))
    await expect(batch.add(item(9999))).rejects.toMatchObject({
      code: 'unavailable',
      data: { retryAfterSeconds: 1 },
    })
    await turn()
    for (let at = 0; at < sent.length; at += 1) {
      sent[at]?.end()
      await turn()
    }
    expect(await Promise.all(waiting)).toHaveLength(5000)
  })
})
