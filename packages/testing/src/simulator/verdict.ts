/** The first promise that a run broke. */
export interface Violation {
  /** Short name of the promise, for example `I1 one holder`. */
  readonly rule: string
  /** The observation that broke the promise. */
  readonly detail: string
  readonly atMs: number
}

/** The findings of the checks of one run. Only the first violation counts, since it may cause later ones. */
export class Verdict {
  readonly #nowMs: () => number
  readonly #stop: () => void
  #violation: Violation | undefined

  constructor(parts: { readonly nowMs: () => number; readonly stop: () => void }) {
    this.#nowMs = parts.nowMs
    this.#stop = parts.stop
  }

  get violation(): Violation | undefined {
    return this.#violation
  }

  /** Records that a promise was broken, and stops the run. */
  fail(rule: string, detail: string): void {
    this.#violation ??= { rule, detail, atMs: this.#nowMs() }
    this.#stop()
  }

  /** Fails if `holds` is false; only then calls `detail`. */
  expect(holds: boolean, rule: string, detail: () => string): void {
    if (!holds) this.fail(rule, detail())
  }
}
