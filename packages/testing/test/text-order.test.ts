import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { byBytes } from '../src/text-order.ts'

// Characters on both sides of every change in the length of UTF-8, and of the surrogates.
const character = fc.constantFrom(
  '',
  'a',
  'b',
  '\u007f',
  '\u0080',
  '\u07ff',
  '\u0800',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '😀',
  '🚀',
)
const text = fc.array(character, { maxLength: 6 }).map((each) => each.join(''))

describe('the order of texts', () => {
  it('is that of their bytes in UTF-8', () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(Math.sign(byBytes(one, other))).toBe(Buffer.compare(Buffer.from(one), Buffer.from(other)))
      }),
      { numRuns: 5000 },
    )
  })
})
