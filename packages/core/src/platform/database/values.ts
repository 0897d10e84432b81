// How values go into statements, and how they come out of rows.

/**
 * A list as PostgreSQL's text of an array: `{"a",NULL,2.5,true}`. The drivers' own function copies each text
 * twice to escape it, and takes 2.5 times as long for a heartbeat.
 * @throws TypeError for anything but texts, numbers, booleans, null and undefined
 */
export function arrayLiteral(values: readonly unknown[]): string {
  let literal = '{'
  for (let index = 0; index < values.length; index += 1) {
    if (index > 0) literal += ','
    literal += elementOf(values[index])
  }
  return `${literal}}`
}

function elementOf(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'string')
    return `"${SPECIAL.test(value) ? value.replaceAll(SPECIALS, '\\$&') : value}"`
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new TypeError(`no array holds a ${typeof value}`)
}

const SPECIAL = /["\\]/
const SPECIALS = /["\\]/g

/** An instant as an array parameter takes it. */
export const isoOrNull = (at: Date | undefined): string | null => at?.toISOString() ?? null

/** Reads a `timestamptz`, which adapters get as PostgreSQL's text. */
export const instant = (value: string): Date => new Date(value)

/** Like `instant`; undefined for null and for PostgreSQL's infinities. */
export const maybeInstant = (value: string | null): Date | undefined =>
  value === null || value.endsWith('infinity') ? undefined : new Date(value)

/** Undefined for SQL's null. */
export const given = <T>(value: T | null): T | undefined => value ?? undefined
