/** Compares texts as PostgreSQL's collation "C" does: by their bytes in UTF-8. */
export function byBytes(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index += 1) {
    const first = one.charCodeAt(index)
    const second = other.charCodeAt(index)
    // Code units sort like their bytes in UTF-8, except surrogates: their characters come after all others.
    if (first !== second) return Number(isSurrogate(first)) - Number(isSurrogate(second)) || first - second
  }
  return one.length - other.length
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff

// Escapes in JSON text that PostgreSQL's jsonb refuses: NUL and lone surrogates.
const UNKEPT = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/

/**
 * Copies a JSON value as a database would return it, without the caller's own objects. Fails for values that
 * `jsonb` refuses.
 */
export function jsonCopy(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const text = JSON.stringify(value)
  if (text.includes('\\u') && UNKEPT.test(text)) throw new Error('unsupported Unicode escape sequence')
  return JSON.parse(text) as Record<string, unknown>
}
