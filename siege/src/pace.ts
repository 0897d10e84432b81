/** Delays requests so that at most a given number go out per second; a rate of Infinity delays none. */
export class Pace {
  readonly #perSecond: number
  #next = performance.now()

  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  /** Waits until this many more requests may go. Lost time is not made up for. */
  async turn(requests: number): Promise<void> {
    const now = performance.now()
    const at = Math.max(this.#next, now)
    this.#next = at + (requests / this.#perSecond) * 1000
    if (at > now) await new Promise((resolve) => setTimeout(resolve, at - now))
  }
}
