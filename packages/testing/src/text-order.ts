/** Orders texts as PostgreSQL's collation "C" does: by their bytes in UTF-8. */
export function byBytes(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index += 1) {
    const first = one.charCodeAt(index)
    const second = other.charCodeAt(index)
    // Code units stand in the order of their bytes, but for surrogates: what they spell comes after all
    // others.
    if (first !== second) return Number(isSurrogate(first)) - Number(isSurrogate(second)) || first - second
  }
  return one.length - other.length
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff

// What PostgreSQL's jsonb refuses: NUL and lone surrogates, which JSON's text escapes.
const UNKEPT = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/

/**
 * Copies a JSON value as a database gives it back: nothing of the caller's own objects. Fails as `jsonb`
 * does.
 */
export function jsonCopy(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const text = JSON.stringify(value)
  if (text.includes('\\u') && UNKEPT.test(text)) throw new Error('unsupported Unicode escape sequence')
  return JSON.parse(text) as Record<string, unknown>
}
