import { Problem } from './problem.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
const NUL = '\u0000'

// Most texts have none of these, and need no second look.
const MAY_CHANGE = /\d{16}|\d[eE]|\\u0000/
const NUMBER = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y

/**
 * Refuses a JSON text whose values would be kept otherwise than they were sent: numbers that are too large,
 * whole numbers whose last digits would be lost, and texts with NUL, which no database keeps.
 * @throws Problem `invalid-input` that names the place
 */
export function requireExact(text: string): void {
  if (!MAY_CHANGE.test(text)) return
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) {
      const end = endOfString(text, index)
      requireNoNul(text, index, end)
      index = end
    } else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      index = requireNumber(text, index) - 1
    }
  }
}

function requireNumber(text: string, index: number): number {
  NUMBER.lastIndex = index
  const [number, fraction, exponent] = NUMBER.exec(text) ?? []
  if (number === undefined) return index + 1
  const value = Number(number)
  const isWhole = fraction === undefined && exponent === undefined
  if (!Number.isFinite(value) || (isWhole && !Number.isSafeInteger(value))) {
    throw refused(index, 'a number from -9007199254740991 to 9007199254740991; send a larger one as text')
  }
  return index + number.length
}

function requireNoNul(text: string, start: number, end: number): void {
  const found = text.indexOf('\\u0000', start)
  if (found === -1 || found > end) return
  // An escaped backslash before the letters is no NUL.
  const value: unknown = JSON.parse(text.slice(start, end + 1))
  if (typeof value === 'string' && value.includes(NUL)) throw refused(start, 'a text without NUL')
}

const refused = (index: number, expected: string): Problem => {
  const sentence = `character ${index + 1}: expected ${expected}`
  return new Problem('invalid-input', { detail: sentence, details: [sentence] })
}

/**
 * Returns the place of the quote that ends the string that begins at `start`. The native search skips most
 * strings in one call. After an escaped quote the loop reads every character, because a native search that
 * stops at each of a million escaped quotes would cost more.
 */
export function endOfString(text: string, start: number): number {
  const quote = text.indexOf('"', start + 1)
  if (quote === -1) return text.length
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote
  let index = start + 1
  while (index < text.length && text.charCodeAt(index) !== QUOTE) {
    index += text.charCodeAt(index) === BACKSLASH ? 2 : 1
  }
  return index
}
