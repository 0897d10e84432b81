/** Failures in a row that open the breaker. */
const FAILURES = 3
/** How long an open breaker lets no question through, in milliseconds. */
const OPEN_MS = 30_000

/**
 * A circuit breaker that keeps visitors from waiting for a model that does not answer. Three failures in a
 * row open it for 30 s; then it lets one question through, whose result closes it or opens it again.
 */
export class Breaker {
  readonly #elapsedMs: () => number
  #failures = 0
  #askAgainAtMs = 0

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs
  }

  /**
   * Returns whether a question may go to the model. After the wait only one may; others are refused until its
   * result is known, or for another 30 s.
   */
  admit(): boolean {
    if (this.#failures < FAILURES) return true
    const now = this.#elapsedMs()
    if (now < this.#askAgainAtMs) return false
    this.#askAgainAtMs = now + OPEN_MS
    return true
  }

  succeeded(): void {
    this.#failures = 0
  }

  failed(): void {
    this.#failures += 1
    if (this.#failures >= FAILURES) this.#askAgainAtMs = this.#elapsedMs() + OPEN_MS
  }
}
