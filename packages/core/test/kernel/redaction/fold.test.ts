import { describe, expect, test } from '@jest/globals'
import { fold, placesOf } from '../../../src/kernel/redaction/fold.ts'

const LAST_CODE_POINT = 0x10ffff
const ALL = 0xffff

function* everyCharacter() {
  for (let code = 0x80; code <= LAST_CODE_POINT; code++) {
    if (code < 0xd800 || code > 0xdfff) yield String.fromCodePoint(code)
  }
}

describe('folding', () => {
  test('every character of Unicode with an ASCII compatibility form takes that form', () => {
    const wrong: string[] = []
    for (const character of everyCharacter()) {
      const form = character.normalize('NFKC')
      if (/^[ -~]+$/.test(form) && fold(`x${character}x`, ALL) !== `x${form}x`) wrong.push(character)
    }
    expect(wrong).toEqual([])
  })

  test('every ignorable character of Unicode goes, wherever it stands', () => {
    const left: string[] = []
    for (const character of everyCharacter()) {
      if (!/\p{Default_Ignorable_Code_Point}/u.test(character)) continue
      if (fold(`a${character}\u00a0${character}b`, ALL) !== 'a b') left.push(character)
      if (fold(`aé${character}b`, ALL) !== 'aéb') left.push(character)
    }
    expect(left).toEqual([])
  })

  test('letters and signs without an ASCII form stay', () => {
    const text = 'Größe, naïve, Пароль, パスワード, ✓, 😀, \ud800'
    expect(fold(text, ALL)).toBe(text)
  })

  test('every place of the folded text leads back to the character that it came from', () => {
    const text = 'a\u200bﬃ１\u001b[31m😀𝐩\u00adz'
    const folded = fold(text, ALL)
    expect(folded).toBe('affi1😀pz')
    const places = placesOf(text, folded)
    const origins = Array.from(folded, (_, at) => text.slice(places.start(at), places.end(at)))
    expect(origins.slice(0, 5)).toEqual(['a', 'ﬃ', 'ﬃ', 'ﬃ', '１'])
    expect(text.slice(places.start(7), places.end(7))).toBe('𝐩')
    expect(text.slice(places.start(8), places.end(8))).toBe('z')
  })
})
