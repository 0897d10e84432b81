import { Problem } from '../problem.ts'

/** The place of a row in a list. */
interface Place {
  readonly id: string
  /**
   * For lists in the order of time: microseconds of Unix time. PostgreSQL counts in them, and all rows of a
   * transaction have one instant: a place in milliseconds would skip rows of the same millisecond.
   */
  readonly micros?: string | undefined
}

/** Returns the cursor behind a row. */
export const cursorOf = ({ id, micros }: Place): string => (micros === undefined ? id : `${micros}.${id}`)

/** Reads a cursor; undefined if there is none. @throws Problem `invalid-input` */
export function readCursor(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined
  const [, micros, id] = /^(?:(\d{16})\.)?([a-z]{3}_[0-9a-z]{26})$/.exec(cursor) ?? []
  if (id === undefined)
    throw new Problem('invalid-input', { details: ['cursor: expected the next_cursor of an earlier answer'] })
  return { id, micros }
}
