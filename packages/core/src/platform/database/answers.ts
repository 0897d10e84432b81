/** How the rows of a batched statement find the items that they answer. */
export interface Addressing<Asked, Row> {
  /** The name of the statement. */
  readonly statement: string
  /** The identity of an item. Two items with the same identity ask the same, and get the same row. */
  readonly asker: (asked: Asked) => string
  /** The identity of the item that a row answers. */
  readonly addressee: (row: Row) => string
  /** Whether every item has to get a row. Default: an item without a row gets nothing. */
  readonly isComplete?: boolean
}

/**
 * A statement whose rows do not fit its items: one for a stranger, two for one item, or too few. No item is
 * answered then.
 */
export class StrayAnswer extends Error {
  override readonly name = 'StrayAnswer'
  /** The statement's name: the log of faults shows codes only. */
  readonly code: string

  constructor(statement: string, what: string) {
    super(`the statement ${statement} ${what}: nobody it served is answered`)
    this.code = statement
  }
}

/**
 * An identity of several parts. NUL separates them, which no text of the database holds. Lone surrogates are
 * replaced, since the database returns them as U+FFFD.
 */
export const identity = (...parts: readonly string[]): string => parts.join('\0').toWellFormed()

/**
 * The rows of a batched statement by their items. The order of the rows does not count: with it, rows would
 * go to the wrong callers as soon as a plan changed the order.
 * @throws StrayAnswer for a row without an item, for two rows of one identity, and for a missing row if the
 * statement must answer each item
 */
export function matched<Asked, Row>(
  { statement, asker, addressee, isComplete = false }: Addressing<Asked, Row>,
  asked: readonly Asked[],
  rows: readonly Row[],
): ReadonlyMap<Asked, Row> {
  const answers = new Map<Asked, Row>()
  if (rows.length === 0 && !isComplete) return answers
  const found = new Map(rows.map((row) => [addressee(row), row]))
  if (found.size < rows.length) throw new StrayAnswer(statement, 'answered somebody twice')
  const heard = new Set<string>()
  for (const each of asked) {
    const who = asker(each)
    const row = found.get(who)
    if (row !== undefined) {
      answers.set(each, row)
      heard.add(who)
    } else if (isComplete) throw new StrayAnswer(statement, 'left an asker out')
  }
  if (heard.size < found.size) throw new StrayAnswer(statement, 'answered somebody who did not ask')
  return answers
}
