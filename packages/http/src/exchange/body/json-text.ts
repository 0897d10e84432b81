import { endOfString } from '@svc/core/adapters'
import { Refusal } from '../errors.ts'

/** Deepest nesting of a request body. */
export const MAX_DEPTH = 32

/**
 * Most lists, objects and commas in a request body: 10,000 log lines, the most that any route takes, have
 * 30,002.
 */
export const MAX_PARTS = 200_000

/** Keys that careless code could follow to an object's prototype. */
const HOSTILE_KEYS: readonly string[] = ['__proto__', 'constructor']
const NUL = '\u0000'
const MAY_NEED_CLEANING = /__proto__|constructor|\\u/

const QUOTE = 0x22
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const COMMA = 0x2c

/**
 * Parses the text of a request body; an empty text counts as `{}`. Hostile keys are removed at every depth,
 * and NUL is removed from every string. Lone surrogates become U+FFFD. PostgreSQL stores neither NUL nor lone
 * surrogates, and an answer must show the stored text.
 * @throws Refusal `invalid-json`
 */
export function parseJson(text: string, maxParts: number = MAX_PARTS): unknown {
  if (text === '') return {}
  if (isBeyond(text, MAX_DEPTH, maxParts)) throw new Refusal('invalid-json')
  const value = parse(text)
  return MAY_NEED_CLEANING.test(text) ? cleaned(value) : value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal('invalid-json')
  }
}

/**
 * Cleans a freshly parsed value in place: removes hostile keys, and makes strings storable in PostgreSQL. A
 * work list replaces recursion, so that no depth of a value overflows the stack.
 */
export function cleaned(value: unknown): unknown {
  const left: object[] = []
  const clean = (item: unknown): unknown => {
    if (typeof item === 'string') return storable(item)
    if (typeof item === 'object' && item !== null) left.push(item)
    return item
  }
  const result = clean(value)
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (Array.isArray(next))
      for (let index = 0; index < next.length; index += 1) next[index] = clean(next[index])
    else cleanObject(next as Record<string, unknown>, clean)
  }
  return result
}

function cleanObject(value: Record<string, unknown>, clean: (item: unknown) => unknown): void {
  for (const key of Object.keys(value)) {
    const item = value[key]
    const name = storable(key)
    if (HOSTILE_KEYS.includes(name)) {
      delete value[key]
      continue
    }
    if (name !== key) delete value[key]
    value[name] = clean(item)
  }
}

// NUL and lone surrogates come only from escapes: JSON refuses a raw NUL, and decoding malformed UTF-8 gives
// U+FFFD.
const storable = (text: string): string =>
  (text.includes(NUL) ? text.replaceAll(NUL, '') : text).toWellFormed()

/**
 * Whether a JSON text nests deeper than `maxDepth` or has more parts than `maxParts` (lists, objects, and
 * commas), found without parsing it. A parsed value nested 10,000 deep overflows the stack of every later
 * walk over it. Each part costs the parser many times its sender's cost: the 5 million lists that fit into
 * the largest log request take 0.5 s of the event loop. For text that is not JSON the result means nothing,
 * and the parser refuses the text anyway.
 */
export function isBeyond(text: string, maxDepth: number, maxParts: number): boolean {
  let depth = 0
  let parts = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) {
      index = endOfString(text, index)
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      depth += 1
      parts += 1
      if (depth > maxDepth || parts > maxParts) return true
    } else if (code === COMMA) {
      parts += 1
      if (parts > maxParts) return true
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      depth -= 1
    }
  }
  return false
}
