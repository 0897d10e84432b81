/** Failures in a row that open the breaker. */
const FAILURES = 3
/** How long nobody asks then, in milliseconds. */
const OPEN_MS = 30_000

/**
 * Keeps visitors from waiting for a model that does not answer: after three failures in a row nobody asks it
 * for 30 s, then one question goes through, and what becomes of it decides.
 */
export class Breaker {
  readonly #elapsedMs: () => number
  #failures = 0
  #askAgainAtMs = 0

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs
  }

  /**
   * Whether a question may go through; the one that is let through after the wait keeps others out meanwhile.
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
