/** Holds requests back so that no more than so many go out a second; a rate of Infinity holds none back. */
export class Pace {
  readonly #perSecond: number
  #next = performance.now()

  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  /** Waits until so many more may go. Time that was lost is not made up for. */
  async turn(requests: number): Promise<void> {
    const now = performance.now()
    const at = Math.max(this.#next, now)
    this.#next = at + (requests / this.#perSecond) * 1000
    if (at > now) await new Promise((resolve) => setTimeout(resolve, at - now))
  }
}
