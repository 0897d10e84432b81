import { Refused } from './refusal.ts'

/** One call's time: a cap on the whole, one on the step under way, and the wish of others to end it. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController()
  readonly #outer: readonly AbortSignal[]
  readonly #whole: NodeJS.Timeout
  #step: NodeJS.Timeout | undefined

  constructor(wholeMs: number, outer: readonly AbortSignal[]) {
    this.#whole = setTimeout(this.#expire, wholeMs)
    this.#outer = outer
    for (const signal of outer) {
      if (signal.aborted) this.#cancel()
      signal.addEventListener('abort', this.#cancel, { once: true })
    }
  }

  /** Aborted with the `Refused` that says why. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Begins the next step, which may take so many milliseconds, or as many as the whole has left. */
  step(ms?: number): void {
    this.signal.throwIfAborted()
    clearTimeout(this.#step)
    this.#step = ms === undefined ? undefined : setTimeout(this.#expire, ms)
  }

  /** What `work` brings, unless the time is over first: for work that may not listen to the signal. */
  async race<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    const end = () => reject(this.signal.reason)
    this.signal.addEventListener('abort', end, { once: true })
    try {
      return await Promise.race([work, promise])
    } finally {
      this.signal.removeEventListener('abort', end)
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#whole)
    clearTimeout(this.#step)
    for (const signal of this.#outer) signal.removeEventListener('abort', this.#cancel)
  }

  readonly #expire = () => this.#controller.abort(new Refused('timeout'))
  readonly #cancel = () => this.#controller.abort(new Refused('cancelled'))
}
