import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { LineSplitter } from '../../src/agent/run/line-splitter.ts'

function heard(chunks: readonly Buffer[], maxChars = 8192): { lines: string[]; states: string[] } {
  const [lines, states]: [string[], string[]] = [[], []]
  const taker = { line: (text: string) => lines.push(text), state: (text: string) => states.push(text) }
  const splitter = new LineSplitter(maxChars, taker)
  for (const chunk of chunks) splitter.write(chunk)
  splitter.end()
  return { lines, states }
}

const split = (chunks: readonly Buffer[], maxChars?: number): string[] => heard(chunks, maxChars).lines

/** The bytes of a text in pieces of these sizes. */
function inPieces(text: string, sizes: readonly number[]): Buffer[] {
  const whole = Buffer.from(text)
  const pieces: Buffer[] = []
  for (let from = 0, index = 0; from < whole.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1
    pieces.push(whole.subarray(from, from + size))
    from += size
  }
  return pieces
}

const isBlank = (text: string) => text.trim() === ''

/** The lines of a text, by the words of the rule. */
function linesOf(text: string): string[] {
  const pieces = text.split('\n')
  const rest = pieces.pop() ?? ''
  const whole =
    isBlank(rest.replaceAll('\r', '')) && rest.startsWith('\r')
      ? pieces
      : [...pieces, ...(rest ? [rest] : [])]
  return whole.map((piece) => {
    const states = piece.replace(/\r$/, '').split('\r')
    return states.findLast((state) => !isBlank(state)) ?? states[0] ?? ''
  })
}

/** Texts with many line ends of every kind. */
const output = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 5 }) },
      fc.constantFrom('\r', '\n', '\r\n', '\r\r', ' ', '\r  \r', '😀'),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''))
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 })

test('Of a line that overwrites itself the last state is the line, however the bytes arrive', () => {
  fc.assert(
    fc.property(output, sizes, (text, pieces) => {
      const ends = text.endsWith('\n') ? text : `${text}\n`
      expect(split(inPieces(ends, pieces))).toEqual(linesOf(ends))
      expect(split(inPieces(text, pieces))).toEqual(split([Buffer.from(text)]))
    }),
  )
})

test('What is shown of a line that overwrites itself is one of its states, whole, and never blank', () => {
  fc.assert(
    fc.property(output, sizes, (text, pieces) => {
      const states = new Set(text.split(/[\r\n]/).filter((state) => !isBlank(state)))
      for (const state of heard(inPieces(text, pieces)).states) expect(states).toContain(state)
    }),
  )
})

test('Lines and states are never longer than the limit', () => {
  fc.assert(
    fc.property(output, sizes, fc.integer({ min: 2, max: 6 }), (text, pieces, max) => {
      const { lines, states } = heard(inPieces(text, pieces), max)
      for (const said of [...lines, ...states]) expect(said.length).toBeLessThanOrEqual(max)
    }),
  )
})

test.each([
  [
    'a bar that is drawn from the beginning of the line',
    ['\r1/3', '\r2/3', '\r3/3', '\n'],
    ['3/3'],
    ['1/3', '2/3'],
  ],
  [
    'a bar that goes back to the beginning',
    ['1/3\r', '2/3\r', '3/3\r', 'done\n'],
    ['done'],
    ['1/3', '2/3', '3/3'],
  ],
  ['a bar that is wiped away', ['50%\r', '    \r', '\n'], ['50%'], ['50%']],
  ['a bar without a line end', ['step 1\r', 'step 2\r'], ['step 2'], ['step 1', 'step 2']],
  ['many states at once', ['1\r2\r3\r4\r5', '\n'], ['5'], ['4']],
  ['a line end that is cut in two', ['a\r', '\nb\r', '\n'], ['a', 'b'], ['a', 'b']],
  ['two carriage returns before the line end', ['a\r\r\n'], ['a'], []],
])('%s', (_, pieces, lines, states) => {
  expect(heard(pieces.map((piece) => Buffer.from(piece)))).toEqual({ lines, states })
})

test('The last of 700 states that are longer than a line together is kept whole', () => {
  const states = Array.from({ length: 700 }, (_, n) => `\rBuilding step ${n}`).join('')
  expect(split([Buffer.from(`${states}\rERROR: step 701 failed: disk full`)])).toEqual([
    'ERROR: step 701 failed: disk full',
  ])
})

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
  expect(split([Buffer.from('a\r\nb\rc\n\r\n')])).toEqual(['a', 'c', ''])
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
