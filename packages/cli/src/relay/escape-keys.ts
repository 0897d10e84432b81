const TILDE = 0x7e
const DOT = 0x2e
const LINE_ENDS = new Set([0x0a, 0x0d])

/**
 * Looks for `~.` at the beginning of a line. With it a person leaves a session whose host does not answer.
 * `~~` there sends one tilde.
 */
export class EscapeKeys {
  #isAtLineStart = true
  #hasTilde = false

  /** Returns the bytes to send, and whether the person leaves. */
  take(typed: Buffer): { readonly sent: Buffer; readonly leaves: boolean } {
    const kept: number[] = []
    for (const key of typed) {
      if (this.#hasTilde) {
        this.#hasTilde = false
        if (key === DOT) return { sent: Buffer.from(kept), leaves: true }
        if (key !== TILDE) kept.push(TILDE)
      } else if (key === TILDE && this.#isAtLineStart) {
        this.#hasTilde = true
        continue
      }
      kept.push(key)
      this.#isAtLineStart = LINE_ENDS.has(key)
    }
    return { sent: Buffer.from(kept), leaves: false }
  }
}
