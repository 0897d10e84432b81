import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { LineSplitter } from '../../src/agent/run/line-splitter.ts'

function split(chunks: readonly Buffer[], maxChars = 8192): string[] {
  const lines: string[] = []
  const splitter = new LineSplitter(maxChars, (line) => lines.push(line))
  for (const chunk of chunks) splitter.write(chunk)
  splitter.end()
  return lines
}

test('Lines are the same however the bytes arrive', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 })
  fc.assert(
    fc.property(fc.array(text), fc.integer({ min: 1, max: 7 }), (lines, size) => {
      const whole = Buffer.from(lines.map((line) => `${line}\n`).join(''))
      const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, i) =>
        whole.subarray(i * size, (i + 1) * size),
      )
      expect(split(chunks)).toEqual(split([whole]))
    }),
  )
})

test('A carriage return before the line end is not part of the line', () => {
  expect(split([Buffer.from('a\r\nb\rc\n\r\n')])).toEqual(['a', 'b\rc', ''])
})

test('A line is cut at the limit without splitting a surrogate pair', () => {
  expect(split([Buffer.from('abc😀\nabcd😀\n')], 4)).toEqual(['abc', 'abcd'])
})

test('A line of exactly the limit is whole, also with a carriage return behind it', () => {
  expect(split([Buffer.from('abcd\r\nabcd\n')], 4)).toEqual(['abcd', 'abcd'])
})

test('An empty stream has no line, and bytes that are no UTF-8 are replaced', () => {
  expect(split([])).toEqual([])
  expect(split([Buffer.from([0x61, 0xff, 0x0a])])).toEqual(['a\ufffd'])
})
