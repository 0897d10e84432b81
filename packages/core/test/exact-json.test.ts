import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { requireExact } from '../src/exact-json.ts'

describe('JSON that is kept as it was sent', () => {
  it.each([
    '9007199254740991',
    '-9007199254740991',
    '[1e300,1.5E-7,-0.25,1e22,0.12345678901234567]',
    '{"9007199254740993":"9007199254740993 1e400 -1e400","a\\\\u0000":"\\\\u0000"}',
    '"\\"9007199254740993"',
  ])('takes %s', (text) => expect(() => requireExact(text)).not.toThrow())

  it.each([
    ['9007199254740992', 1],
    ['{"a":-9007199254740992}', 6],
    ['[0,{"b":[1e400]}]', 10],
    ['[-1E+309]', 2],
    ['["\\\\",12345678901234567890]', 7],
    ['{"a":"x\\u0000"}', 6],
    ['{"a\\u0000":1}', 2],
    ['["\\\\\\u0000"]', 2],
  ])('refuses %s at character %s', (text, place) => {
    const details = [expect.stringContaining(`character ${place}: expected `)]
    expect(() => requireExact(text)).toThrow(
      expect.objectContaining({ code: 'invalid-input', data: expect.objectContaining({ details }) }),
    )
  })

  it('takes every value of JSON with numbers that are safe, however it is written', () => {
    const value = fc.jsonValue({ maxDepth: 3 }).filter((each) => !JSON.stringify(each).includes('\\u0000'))
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 2), (given, indent) => {
        const text = JSON.stringify(given, undefined, indent)
        if (!/[^.\d]\d{16}/.test(text)) requireExact(text)
      }),
    )
  })

  it('looks through eight megabytes of quotes and digits at once', () => {
    const texts = [`"${'\\"'.repeat(4e6)}"`, `["${'1'.repeat(8e6)}"]`, `[${'1e1,'.repeat(2e6)}1]`]
    for (const text of texts) {
      const start = performance.now()
      requireExact(text)
      expect(performance.now() - start).toBeLessThan(5000)
    }
  })
})
