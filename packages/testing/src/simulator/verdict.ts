/** The first promise that a run broke. */
export interface Violation {
  /** Short name of the promise, for example `I1 one holder`. */
  readonly rule: string
  /** What was seen. */
  readonly detail: string
  readonly atMs: number
}

/** What the checks of one run found. The first violation counts: what follows it may follow from it. */
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

  /** Says that a promise was broken; the run ends here. */
  fail(rule: string, detail: string): void {
    this.#violation ??= { rule, detail, atMs: this.#nowMs() }
    this.#stop()
  }

  /** Fails when `holds` is false. `detail` is only called then. */
  expect(holds: boolean, rule: string, detail: () => string): void {
    if (!holds) this.fail(rule, detail())
  }
}
