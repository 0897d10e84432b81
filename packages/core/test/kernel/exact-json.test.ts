import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { requireExact } from '../../src/kernel/exact-json.ts'

describe('JSON that is kept as it was sent', () => {
  it.each([
    '9007199254740991',
    '-9007199254740991',
    '[1e300,1.5E-7,-0.25,1e22,0.12345678901234567]',
    '{"9007199254740993":"9007199254740993 1e400 -1e400","a\\\\u0000":"\\\\u0000"}',
    '"\\"9007199254740993"',
  ])('takes %s', (text) => expect(() => requireExact(text)).not.toThrow())

  it.each([
    ['9007199254740992', ''],
    ['{"a":-9007199254740992}', 'a: '],
    ['[0,{"b":[1e400]}]', '1.b.0: '],
    ['{"x":[[],{}],"y":{"a":1,"b":2},"limit" : 1e999}', 'limit: '],
    ['{"a":{"b":[{"c":0},{"c":0,"d":[0,[1],"[,{",-1E+309]}]}}', 'a.b.1.d.3: '],
    ['["\\\\",12345678901234567890]', '1: '],
    ['{"a":"x\\u0000"}', 'a: '],
    ['{"b":1,"a\\u0000":1}', 'a: '],
    ['["\\\\\\u0000"]', '0: '],
    [`{"${'k'.repeat(300)}":1e400}`, '\\*: '],
    ['{"a":{"<b>":1e400}}', 'a.\\*: '],
  ])('refuses %s at %s', (text, place) => {
    const details = [
      expect.stringMatching(new RegExp(`^${place.replaceAll('.', '\\.')}expected a (?:number|text) `)),
    ]
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
    for (const text of texts) expect(() => requireExact(text)).not.toThrow()
  })
})
