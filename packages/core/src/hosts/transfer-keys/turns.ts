/** Runs work on one thing after the other: work on different things does not wait for each other. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs `work` when the earlier work on `name` has ended, well or not. */
  async of<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve()
    const own = before.then(work, work)
    this.#last.set(name, own)
    try {
      return await own
    } finally {
      if (this.#last.get(name) === own) this.#last.delete(name)
    }
  }
}
