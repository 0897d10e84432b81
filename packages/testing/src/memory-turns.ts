/** Runs a statement, which sees all or nothing of every other statement. */
export type Run = <T>(statement: () => T) => Promise<T>

/**
 * A queue that runs one statement or one whole transaction after the other, like a database with one
 * connection.
 */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs `work` when all earlier work has ended or failed. */
  take<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => {})
    return turn
  }
}
