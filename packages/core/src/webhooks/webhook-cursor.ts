import { Problem } from '../problem.ts'

/** The place of a row in a list. */
interface Place {
  readonly id: string
  /** For lists in the order of time. */
  readonly at?: Date | undefined
}

/** Returns the cursor behind a row. */
export const cursorOf = ({ id, at }: Place): string => (at === undefined ? id : `${at.getTime()}.${id}`)

/** Reads a cursor; undefined if there is none. @throws Problem `invalid-input` */
export function readCursor(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined
  const [, ms, id] = /^(?:(\d{1,15})\.)?([a-z]{3}_[0-9a-z]{26})$/.exec(cursor) ?? []
  if (id === undefined)
    throw new Problem('invalid-input', { details: ['cursor: expected the next_cursor of an earlier answer'] })
  return { id, at: ms === undefined ? undefined : new Date(Number(ms)) }
}
