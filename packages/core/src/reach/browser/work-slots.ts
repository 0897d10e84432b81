import { Problem } from '../../kernel/problem.ts'

/** Requests that may wait for a page. */
const QUEUE = 8
const RETRY_SECONDS = 5

/** Limits how many pages are worked on at once; a few more may wait. */
export class WorkSlots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(concurrency: number) {
    this.#free = concurrency
  }

  /**
   * Waits for a slot; disposing of it frees it.
   * @throws Problem `rate-limited` if too many wait already; the reason of `signal` when it is aborted first
   */
  async enter(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free -= 1
    else await this.#turn(signal)
    let isHeld = true
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#leave()
        isHeld = false
      },
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= QUEUE) throw new Problem('rate-limited', { retryAfterSeconds: RETRY_SECONDS })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const turn = () => {
      signal.removeEventListener('abort', gone)
      resolve()
    }
    const gone = () => {
      this.#waiting.splice(this.#waiting.indexOf(turn), 1)
      reject(signal.reason)
    }
    this.#waiting.push(turn)
    signal.addEventListener('abort', gone, { once: true })
    return promise
  }

  // A slot passes from hand to hand, so that nobody who comes later takes it first.
  #leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free += 1
    else next()
  }
}
