import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { cleaned, isBeyond, MAX_PARTS, parseJson } from '../../src/exchange/body/json-text.ts'

const isDeeperThan = (text: string, max: number) => isBeyond(text, max, Number.POSITIVE_INFINITY)

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

describe('the depth of a JSON text', () => {
  it('is that of its value, whatever its strings hold', () => {
    const text = fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ']', '}', 'x', '\n', 'é') })
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 6 }, text, fc.constant(1), tie('list'), tie('object')),
      list: fc.array(tie('value'), { maxLength: 3 }),
      object: fc.dictionary(text, tie('value'), { maxKeys: 3 }),
    }))
    fc.assert(
      fc.property(
        value,
        fc.integer({ min: 0, max: 8 }),
        fc.constantFrom(undefined, 2),
        (given, max, indent) => {
          expect(isDeeperThan(JSON.stringify(given, undefined, indent), max)).toBe(depthOf(given) > max)
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('is found out for any text, JSON or not', () => {
    fc.assert(fc.property(fc.string(), (text) => typeof isDeeperThan(text, 3) === 'boolean'))
  })
})

describe('reading a JSON text', () => {
  it('refuses more lists, objects and commas than any body has, before they are parsed', () => {
    const refused = expect.objectContaining({ code: 'invalid-json' })
    const numbers = (commas: number) => `[${'0,'.repeat(commas)}0]`
    expect(parseJson(numbers(MAX_PARTS - 1))).toHaveLength(MAX_PARTS)
    expect(() => parseJson(numbers(MAX_PARTS))).toThrow(refused)
    // Every list except the first adds a comma.
    const lists = (count: number) => `[${'[],'.repeat(count - 1)}[]]`
    expect(parseJson(lists(MAX_PARTS / 2))).toHaveLength(MAX_PARTS / 2)
    expect(() => parseJson(lists(MAX_PARTS / 2 + 1))).toThrow(refused)
    expect(parseJson(`["${'[{,'.repeat(MAX_PARTS)}"]`)).toHaveLength(1)
  })

  it('gives what JSON.parse gives when nothing is hostile', () => {
    fc.assert(
      fc.property(
        fc
          .jsonValue({ maxDepth: 4 })
          .filter((value) => !/__proto__|constructor|\\u0000/.test(JSON.stringify(value))),
        (value) => expect(parseJson(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value))),
      ),
    )
  })

  it('takes hostile keys out at every depth, however they are spelled', () => {
    const text =
      '{"a":[{"__proto__":{"x":1},"b":1}],"\\u0063onstructor":1,"__pro\\u0000to__":2,"c":{"constructor":{}}}'
    expect(JSON.stringify(parseJson(text))).toBe('{"a":[{"b":1}],"c":{}}')
  })

  it('takes them out of a value of any depth, without filling the stack', () => {
    const deep = JSON.parse(`${'{"a":['.repeat(50_000)}{"__proto__":1}${']}'.repeat(50_000)}`)
    let inner = cleaned(deep) as { a?: [object] }
    while (inner.a !== undefined) [inner] = inner.a
    expect(Object.keys(inner)).toEqual([])
  })

  it('leaves hostile words alone where they are values', () => {
    expect(parseJson('{"a":"__proto__","b":["constructor"]}')).toEqual({ a: '__proto__', b: ['constructor'] })
  })

  it('takes every NUL out of strings and keys, and no escape is made by that', () => {
    expect(parseJson('["a\\u0000b","\\u0000",{"k\\u0000":"\\\\u0000"}]')).toEqual([
      'ab',
      '',
      { k: '\\u0000' },
    ])
    expect(() => parseJson('"\\u00\\u000000"')).toThrow('invalid-json')
  })

  it('gives an empty object for nothing, and refuses what is broken', () => {
    expect(parseJson('')).toEqual({})
    for (const text of ['{', '[1,]', 'undefined', '{"a":1}}', '"\n"']) {
      expect(() => parseJson(text)).toThrow('invalid-json')
    }
  })
})
