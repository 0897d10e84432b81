import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { FairQueue, QueueFull } from '../../../src/platform/passwords/fair-queue.ts'

/** Makes a queue for one task at a time, whose tasks end when the test decides. */
function scene(places: number) {
  const queue = new FairQueue(1, places)
  const done: string[] = []
  const refused: string[] = []
  const running: (() => void)[] = []
  const ask = (name: string) => {
    const crowd = name.split('-')[0] ?? ''
    const work = async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      running.push(resolve)
      await promise
      done.push(name)
    }
    void queue.run(crowd, work).catch((error: unknown) => {
      if (error instanceof QueueFull) refused.push(name)
    })
  }
  const finish = async (count: number) => {
    for (let each = 0; each < count; each += 1) {
      await turn()
      running.shift()?.()
      await turn()
    }
  }
  return { queue, done, refused, running, ask, finish }
}

describe('who waits', () => {
  it('waits behind their own crowd: one of each after the other', async () => {
    const { ask, done, finish } = scene(64)
    for (const name of ['a-1', 'a-2', 'a-3', 'a-4', 'b-1', 'a-5', 'c-1', 'b-2']) ask(name)
    await finish(8)
    expect(done).toEqual(['a-1', 'a-2', 'b-1', 'c-1', 'a-3', 'b-2', 'a-4', 'a-5'])
  })

  it('gives the last place of a full queue to somebody of a shorter crowd', async () => {
    const { ask, done, refused, finish } = scene(3)
    for (const name of ['a-0', 'a-1', 'a-2', 'a-3', 'b-1', 'b-2']) ask(name)
    await turn()
    expect(refused.toSorted()).toEqual(['a-3', 'b-2'])
    await finish(4)
    expect(done).toEqual(['a-0', 'a-1', 'b-1', 'a-2'])
  })

  it('is refused when the queue is full of crowds that are no longer', async () => {
    const { ask, refused, finish, done } = scene(2)
    for (const name of ['a-0', 'b-1', 'c-1', 'd-1', 'b-2']) ask(name)
    await turn()
    expect(refused).toEqual(['d-1', 'b-2'])
    await finish(3)
    expect(done).toEqual(['a-0', 'b-1', 'c-1'])
  })
})

it('no more run at a time than may, and work that fails makes room', async () => {
  const queue = new FairQueue(2, 10)
  let now = 0
  let most = 0
  const work = async () => {
    now += 1
    most = Math.max(most, now)
    await turn()
    now -= 1
    throw new Error('failed')
  }
  const results = await Promise.allSettled(
    Array.from({ length: 9 }, (_, index) => queue.run(`${index % 3}`, work)),
  )
  expect(results.every(({ status }) => status === 'rejected')).toBe(true)
  expect([most, now]).toEqual([2, 0])
  expect(await queue.run('later', async () => 'done')).toBe('done')
})
