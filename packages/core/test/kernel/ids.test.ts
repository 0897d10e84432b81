import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { randomIds, spellId } from '../../src/kernel/ids.ts'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** Spells a value by the definition, digit by digit. */
function base32(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest >>= 5n) text = ALPHABET[Number(rest & 31n)] + text
  return text
}

describe('identifiers', () => {
  test('are 48 bits of milliseconds and 80 bits of entropy in base32, most significant first', () => {
    const milliseconds = fc.integer({ min: 0, max: 2 ** 48 - 1 })
    const entropy = fc.bigInt({ min: 0n, max: 2n ** 80n - 1n })
    fc.assert(
      fc.property(milliseconds, entropy, (ms, bits) => {
        expect(spellId('job', ms, bits)).toBe(`job_${base32(BigInt(ms), 10)}${base32(bits, 16)}`)
      }),
      { examples: [[2 ** 48 - 1, 2n ** 80n - 1n]] },
    )
  })

  test('carry the time of their making', () => {
    const now = new Date('2026-11-21T23:00:00.123Z')
    const ids = randomIds({ now: () => now, statementTime: () => undefined })
    expect(ids.next('lic').slice(0, 14)).toBe(`lic_${base32(BigInt(now.getTime()), 10)}`)
  })

  test('never repeat, however many pages of randomness they use up', () => {
    const ids = randomIds()
    const made = new Set(Array.from({ length: 20_000 }, () => ids.next('tok')))
    expect(made.size).toBe(20_000)
    for (const id of made) expect(id).toMatch(/^tok_[0-9a-hjkmnp-tv-z]{26}$/)
  })

  test('spread over the whole alphabet in each of their random places', () => {
    const ids = randomIds()
    const seen = Array.from({ length: 16 }, () => new Set<string>())
    for (let made = 0; made < 4000; made += 1) {
      for (const [place, letter] of [...ids.next('x').slice(-16)].entries()) seen[place]?.add(letter)
    }
    expect(seen.map((letters) => letters.size)).toEqual(seen.map(() => 32))
  })
})
