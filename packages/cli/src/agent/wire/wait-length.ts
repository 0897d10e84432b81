/** Longest wait that a plane takes, in seconds. */
const LONGEST_SECONDS = 50
const FIRST_SECONDS = 25
const SHORTEST_SECONDS = 5
/** Whole waits after which a longer one is tried. */
const TRUSTED = 10

/**
 * How long the claims of a host ask to wait: 25 s at first; twice that, 50 s at most, after ten whole waits
 * in a row, since each request costs both sides something; half after a wait whose connection was cut, as
 * proxies do after a time of their own.
 */
export class WaitLength {
  #seconds = FIRST_SECONDS
  #whole = 0

  get seconds(): number {
    return this.#seconds
  }

  /** Counts a wait that took its whole time. */
  whole(): void {
    this.#whole += 1
    if (this.#whole % TRUSTED === 0) this.#seconds = Math.min(LONGEST_SECONDS, this.#seconds * 2)
  }

  /** Counts a wait whose connection was cut. */
  cut(): void {
    this.#whole = 0
    this.#seconds = Math.max(SHORTEST_SECONDS, Math.floor(this.#seconds / 2))
  }
}
