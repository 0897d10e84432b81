import { expect, it } from '@jest/globals'
import { cut } from '../../src/kernel/cut.ts'
import { shownText } from '../../src/watch/surface/surface-finding.ts'

it('a cut text has whole characters, which PostgreSQL takes as JSON', () => {
  for (let before = 0; before < 12; before += 1) {
    const text = `${'x'.repeat(before)}${'😀'.repeat(40)}`
    for (const most of [1, 2, 5, 8]) {
      for (const short of [cut(text, most), shownText(text, most)]) {
        expect(short.isWellFormed()).toBe(true)
        expect([...short]).toEqual([...text].slice(0, most))
      }
    }
  }
})

it('a text that fits stays as it is', () => {
  expect(cut('漢字', 2)).toBe('漢字')
  expect(cut('', 0)).toBe('')
  expect(cut('a', 0)).toBe('')
})
