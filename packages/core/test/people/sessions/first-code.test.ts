import { expect, test } from '@jest/globals'
import { FIRST_CODE_SECONDS, isFirstCode, sealFirstCode } from '../../../src/people/sessions/first-code.ts'

const NOW = new Date('2026-11-30T12:00:00Z')
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)
const expires = at(FIRST_CODE_SECONDS)
const code = sealFirstCode(expires, 'a secret')

test('A code is good until its time, however it is typed, under each of the secrets', () => {
  expect(code).toMatch(/^(?:[0-9a-hjkmnp-tv-z]{4}-){7}[0-9a-hjkmnp-tv-z]{4}$/)
  for (const typed of [code, code.toUpperCase(), ` ${code.replaceAll('-', ' ')} `, code.replaceAll('-', '')])
    expect(isFirstCode(typed, ['another', 'a secret'], at(FIRST_CODE_SECONDS - 1))).toBe(true)
  expect(isFirstCode(code, ['a secret'], expires)).toBe(false)
  expect(isFirstCode(code, ['another'], NOW)).toBe(false)
  expect(isFirstCode(code, [], NOW)).toBe(false)
})

test('No character of a code can be another one: not those of its time, nor those of its seal', () => {
  const chars = code.replaceAll('-', '')
  for (let place = 0; place < chars.length; place += 1) {
    const other = chars[place] === '7' ? '8' : '7'
    const changed = `${chars.slice(0, place)}${other}${chars.slice(place + 1)}`
    expect([place, isFirstCode(changed, ['a secret'], NOW)]).toEqual([place, false])
  }
})

test.each(['', '-', 'u'.repeat(32), chars(31), chars(33), chars(10_000), 'ﬀ'.repeat(32)])(
  'Text that is no code is none: %#',
  (typed) => expect(isFirstCode(typed, ['a secret'], NOW)).toBe(false),
)

function chars(length: number): string {
  return '0'.repeat(length)
}
