/** Runs a statement: it sees all or nothing of every other. */
export type Run = <T>(statement: () => T) => Promise<T>

/** One statement, or one whole transaction, after the other: what a database of one connection does. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs `work` when everything asked for before it has ended, well or badly. */
  take<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => {})
    return turn
  }
}
