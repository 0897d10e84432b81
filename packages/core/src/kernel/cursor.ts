import { Problem } from './problem.ts'

/**
 * The place of a row in a list in the order of time: microseconds of Unix time, and the id. PostgreSQL counts
 * in them, and all rows of a transaction have one instant: a place in milliseconds would skip rows of the
 * same millisecond.
 */
export interface Place {
  readonly micros: string
  readonly id: string
}

/** The cursor behind a row of a list in the order of time. */
export const cursorBehind = ({ micros, id }: Place): string => `${micros}.${id}`

const ID = /^[a-z]+_[0-9a-z]{26}$/

/**
 * Reads the cursor of a list in the order of ids; undefined if there is none. Ids of other things are no
 * place in the list.
 * @throws Problem `invalid-input`
 */
export function idOfCursor(cursor: string | undefined, prefix: string): string | undefined {
  if (cursor === undefined || (ID.test(cursor) && cursor.startsWith(`${prefix}_`))) return cursor
  throw new Problem('invalid-input', { details: ['cursor: expected the next_cursor of an earlier answer'] })
}

/**
 * Reads the cursor of a list in the order of time; undefined if there is none.
 * @throws Problem `invalid-input`
 */
export function placeOfCursor(cursor: string | undefined, prefix: string): Place | undefined {
  if (cursor === undefined) return undefined
  const [, micros = '', id = ''] = /^(\d{16})\.(.{1,64})$/.exec(cursor) ?? []
  return { micros, id: idOfCursor(id, prefix) ?? '' }
}
