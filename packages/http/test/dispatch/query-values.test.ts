import { expect, it } from '@jest/globals'
import { fastest, pace } from '../../../../test/support/pace.ts'
import { QueryValues } from '../../src/dispatch/query-values.ts'

it('the first value of a name counts, an empty one is none, and names are decoded', () => {
  const values = new QueryValues('/path?a=1&a=2&b=&%63=%20x&d')
  expect(['a', 'b', 'c', 'd', 'e'].map((name) => values.first(name))).toEqual([
    '1',
    undefined,
    ' x',
    undefined,
    undefined,
  ])
})

it.each([
  ['one name over and over', 'a&'.repeat(8000)],
  ['thousands of names', Array.from({ length: 4000 }, (_, name) => name.toString(36)).join('&')],
])('16 KB of query with %s cost the event loop milliseconds, not a second', (_, querystring) => {
  const read = () => expect(new QueryValues(`/path?${querystring}`).first('key')).toBeUndefined()
  expect(fastest(3, read)).toBeLessThan(100 * pace())
})
