import { cut } from './cut.ts'
import { Problem } from './problem.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const COMMA = 0x2c
const NUL = '\u0000'

// Most texts have none of these, and need no second look.
const MAY_CHANGE = /\d{16}|\d[eE]|\\u0000/
const NUMBER = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y

const A_NUMBER = 'a number from -9007199254740991 to 9007199254740991; send a larger one as text'
const A_TEXT = 'a text without NUL'
const MAX_PLACE_CHARS = 100

/** A list or an object that the walk is in, and the place of its next entry. */
interface Frame {
  readonly isList: boolean
  at: string | number
}

/**
 * Refuses a JSON text whose values would be kept otherwise than they were sent: numbers that are too large,
 * whole numbers whose last digits would be lost, and texts with NUL, which no database keeps. The text has
 * been parsed before.
 * @throws Problem `invalid-input` that names the place
 */
export function requireExact(text: string): void {
  if (!MAY_CHANGE.test(text)) return
  const frames: Frame[] = []
  let isKey = false
  for (let index = 0; index < text.length; index += 1) {
    const frame = frames.at(-1)
    const code = text.charCodeAt(index)
    if (code === QUOTE) {
      const end = endOfString(text, index)
      const words = stringAt(text, index, end)
      if (isKey && frame !== undefined) frame.at = nameOf(words.replaceAll(NUL, ''))
      if (words.includes(NUL)) throw refused(frames, A_TEXT)
      isKey = false
      index = end
    } else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const length = exactLength(text, index)
      if (length === undefined) throw refused(frames, A_NUMBER)
      index += length - 1
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      isKey = code === OPEN_OBJECT
      frames.push({ isList: !isKey, at: 0 })
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      frames.pop()
      isKey = false
    } else if (code === COMMA && frame !== undefined) {
      isKey = !frame.isList
      if (frame.isList) frame.at = Number(frame.at) + 1
    }
  }
}

// A refusal repeats only text that could be the name of a field.
const nameOf = (key: string): string => (/^[a-z][a-z0-9_]{0,63}$/.test(key) ? key : '*')

/** The value of a string, as far as NUL counts: a text without an escape of it is not parsed. */
function stringAt(text: string, start: number, end: number): string {
  const raw = text.slice(start, end + 1)
  return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1)
}

/** The length of the number at a place; undefined for one that would be kept otherwise. */
function exactLength(text: string, index: number): number | undefined {
  NUMBER.lastIndex = index
  const [number = '', fraction, exponent] = NUMBER.exec(text) ?? []
  const value = Number(number)
  const isWhole = fraction === undefined && exponent === undefined
  return Number.isFinite(value) && (!isWhole || Number.isSafeInteger(value)) ? number.length : undefined
}

function refused(frames: readonly Frame[], expected: string): Problem {
  const place = cut(frames.map(({ at }) => at).join('.'), MAX_PLACE_CHARS)
  const sentence = `${place === '' ? '' : `${place}: `}expected ${expected}`
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
