/** How a batched statement says whom each of its rows answers. */
export interface Addressing<Asked, Row> {
  /** The name of the statement. */
  readonly statement: string
  /** The identity of an asker. Two who have the same have asked the same, and hear the same. */
  readonly asker: (asked: Asked) => string
  /** The identity that a row bears. */
  readonly addressee: (row: Row) => string
  /** Whether every asker gets a row. Default: an asker without one gets nothing. */
  readonly isComplete?: boolean
}

/**
 * A statement that answered somebody who did not ask, somebody twice, or too few. Nobody is told anything of
 * it.
 */
export class StrayAnswer extends Error {
  override readonly name = 'StrayAnswer'
  /** The statement's name: the log of faults says a code, and no message. */
  readonly code: string

  constructor(statement: string, what: string) {
    super(`the statement ${statement} ${what}: nobody it served is answered`)
    this.code = statement
  }
}

/**
 * An identity of several parts. They are parted by NUL, which no text of the database holds, and well formed,
 * since a lone surrogate comes back as U+FFFD.
 */
export const identity = (...parts: readonly string[]): string => parts.join('\0').toWellFormed()

/**
 * The rows of a batched statement by their askers. The place of a row says nothing: answers that differ would
 * go to the wrong caller as soon as a statement gave its rows in another order.
 * @throws StrayAnswer for a row that nobody asked for, for two rows to one identity, and where a row is
 * missing that has to be there
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
