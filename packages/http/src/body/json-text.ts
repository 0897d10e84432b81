import { Refusal } from '../errors.ts'
import { isBeyond } from './json-depth.ts'

/** Deepest nesting of a request body (wire: Compatibility rules). */
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
