import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { bearerOf } from '../../src/gates/bearer.ts'

describe('a bearer credential', () => {
  it('is the visible text after one blank or more, whatever its characters', () => {
    const visible = fc.stringMatching(/^[!-~]{1,512}$/)
    fc.assert(
      fc.property(visible, fc.integer({ min: 1, max: 9 }), (key, blanks) => {
        expect(bearerOf(['Authorization', `Bearer${' '.repeat(blanks)}${key}`])).toBe(key)
      }),
    )
    for (const none of ['Bearer', 'Bearer ', 'Bearer   ', 'Bearer\tkey', `Bearer ${'k'.repeat(513)}`]) {
      expect(bearerOf(['Authorization', none])).toBeUndefined()
    }
  })

  it('is nothing when any character is not visible ASCII', () => {
    const odd = fc.constantFrom(' ', '\t', '\u007f', '\u0080', 'ü', '\ud83d')
    fc.assert(
      fc.property(
        fc.stringMatching(/^[!-~]{1,9}$/),
        odd,
        fc.stringMatching(/^[!-~]{0,9}$/),
        (left, char, right) => {
          expect(bearerOf(['authorization', `Bearer ${left}${char}${right}`])).toBeUndefined()
        },
      ),
    )
  })

  it('is nothing when the header comes twice, in whatever case', () => {
    expect(bearerOf(['Authorization', 'Bearer a', 'x', 'y', 'AUTHORIZATION', 'Bearer a'])).toBeUndefined()
  })

  it('is not looked for in other headers of the same length', () => {
    expect(bearerOf(['x-authorizatio', 'Bearer a', 'content-lengt', 'Bearer a'])).toBeUndefined()
  })
})
