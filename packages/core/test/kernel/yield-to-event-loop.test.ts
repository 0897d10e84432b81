// Long pieces of work for several requests do not add up to one long turn of the event loop.
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { yieldToEventLoop } from '@svc/core/adapters'

let turns = 0
let counting: NodeJS.Immediate

beforeEach(() => {
  turns = 0
  const count = () => {
    turns += 1
    counting = setImmediate(count)
  }
  count()
})
afterEach(() => clearImmediate(counting))

const turnOf = async () => {
  await yieldToEventLoop()
  return turns
}

it('each of those that wait has a turn, in their order', async () => {
  const had = await Promise.all([turnOf(), turnOf(), turnOf()])
  expect(new Set(had).size).toBe(3)
  expect(had).toEqual(had.toSorted((one, other) => one - other))
})

it('whoever needs several shares them with the others, and none is left over', async () => {
  const had: [who: string, turn: number][] = []
  const long = async (who: string) => {
    for (let piece = 0; piece < 3; piece += 1) had.push([who, await turnOf()])
  }
  await Promise.all([long('one'), long('other')])
  expect(had.map(([who]) => who)).toEqual(['one', 'other', 'one', 'other', 'one', 'other'])
  expect(new Set(had.map(([, turn]) => turn)).size).toBe(6)
  const before = turns
  expect((await turnOf()) - before).toBeLessThanOrEqual(2)
})
