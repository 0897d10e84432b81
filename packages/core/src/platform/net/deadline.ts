import { race } from '../../kernel/race.ts'
import { OutboundRefused } from './outbound-refusal.ts'

/** Time limits of one call: one for the whole, one for the current step, and signals that cancel it. */
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

  /** Aborts with a `OutboundRefused` that gives the reason. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Begins the next step, with a limit in milliseconds; without one, only the limit of the whole applies. */
  step(ms?: number): void {
    this.signal.throwIfAborted()
    clearTimeout(this.#step)
    this.#step = ms === undefined ? undefined : setTimeout(this.#expire, ms)
  }

  /** Returns the result of `work`, or rejects when the time is over. For work that may ignore the signal. */
  async race<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    return race(work, (over) => {
      this.signal.addEventListener('abort', () => reject(this.signal.reason), { once: true, signal: over })
      return promise
    })
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#whole)
    clearTimeout(this.#step)
    for (const signal of this.#outer) signal.removeEventListener('abort', this.#cancel)
  }

  readonly #expire = () => this.#controller.abort(new OutboundRefused('timeout'))
  readonly #cancel = () => this.#controller.abort(new OutboundRefused('cancelled'))
}
