/** Orders texts as PostgreSQL's collation "C" does: by their bytes in UTF-8. */
export const byBytes = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other))

// What PostgreSQL's jsonb refuses: NUL and lone surrogates, which JSON's text escapes.
const UNKEPT = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/

/**
 * Copies a JSON value as a database gives it back: nothing of the caller's own objects. Fails as `jsonb` does.
 */
export function jsonCopy(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const text = JSON.stringify(value)
  if (UNKEPT.test(text)) throw new Error('unsupported Unicode escape sequence')
  return JSON.parse(text) as Record<string, unknown>
}
