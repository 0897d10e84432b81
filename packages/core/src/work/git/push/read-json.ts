/** Reads a document of a stranger field by field: a field that is absent or of another type is empty. */
export type Json = unknown

/** The value at a path of keys. */
export function at(value: Json, ...keys: readonly string[]): Json {
  let found = value
  for (const key of keys) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Readonly<Record<string, unknown>>)[key]
  }
  return found
}

/** The text at a path; empty if there is none. */
export function textAt(value: Json, ...keys: readonly string[]): string {
  const found = at(value, ...keys)
  return typeof found === 'string' ? found : ''
}

/** The list at a path; empty if there is none. */
export function listAt(value: Json, ...keys: readonly string[]): readonly Json[] {
  const found = at(value, ...keys)
  return Array.isArray(found) ? found : []
}

/** The texts of a list at a path. */
export const textsAt = (value: Json, ...keys: readonly string[]): readonly string[] =>
  listAt(value, ...keys).filter((each) => typeof each === 'string')
