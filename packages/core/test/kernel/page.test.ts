import { describe, expect, it } from '@jest/globals'
import { readPage } from '../../src/kernel/page.ts'

/** Reads rows of these sizes, the newest first; returns their places, the cursor, and the requested size. */
async function pageOf(sizes: readonly number[], page: { limit: number; bytes: number; before?: number }) {
  const all = sizes.map((size, place) => ({ place, text: 'x'.repeat(size) }))
  const asked: number[] = []
  const { rows, next } = await readPage({
    ...page,
    before: page.before,
    rowsAtOnce: 3,
    read: async (limit, before = -1) => {
      asked.push(limit)
      return all.slice(before + 1, before + 1 + limit)
    },
    cursorOf: ({ place }) => place,
  })
  return [rows.map(({ place }) => place), next, asked]
}

describe('a page of large rows', () => {
  const small = [1, 1, 1, 1, 1, 1, 1, 1]
  it.each([
    ['no rows', [], { limit: 3, bytes: 1000 }, [[], undefined, [3]]],
    ['fewer rows than asked for', [1, 1], { limit: 9, bytes: 1000 }, [[0, 1], undefined, [3]]],
    [
      'as many as asked for, and no more',
      [1, 1, 1],
      { limit: 3, bytes: 1000 },
      [[0, 1, 2], undefined, [3, 1]],
    ],
    ['one more than asked for', [1, 1, 1, 1], { limit: 3, bytes: 1000 }, [[0, 1, 2], 2, [3, 1]]],
    ['several reads', small, { limit: 7, bytes: 1000 }, [[0, 1, 2, 3, 4, 5, 6], 6, [3, 3, 2]]],
    ['on from a row', small, { limit: 2, bytes: 1000, before: 4 }, [[5, 6], 6, [3]]],
    ['one row that alone is too large', [500, 1], { limit: 9, bytes: 100 }, [[0], 0, [3]]],
    ['rows until the bytes are used up', [40, 40, 40, 40], { limit: 9, bytes: 150 }, [[0, 1], 1, [3]]],
    ['a large row after a small one', [1, 500, 1], { limit: 9, bytes: 100 }, [[0], 0, [3]]],
  ])('has %s', async (_, sizes, page, expected) => {
    expect(await pageOf(sizes, page)).toEqual(expected)
  })
})
