/** Orders texts as PostgreSQL's collation "C" does: by their bytes in UTF-8. */
export const byBytes = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other))

/** Copies a JSON value as a database gives it back: nothing of the caller's own objects. */
export const jsonCopy = (value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  JSON.parse(JSON.stringify(value)) as Record<string, unknown>
