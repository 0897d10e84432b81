import type { Timers } from '../../kernel/timers.ts'

/** Lets at most so many things begin in any second: each takes its turn and waits for it. */
export class Pace {
  readonly #timers: Timers
  readonly #begun: number[]
  #next = 0

  constructor(timers: Timers, perSecond: number) {
    this.#timers = timers
    this.#begun = Array.from({ length: perSecond }, () => Number.NEGATIVE_INFINITY)
  }

  /** Resolves when the turn has come, or the signal is aborted, which throws. */
  async turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const now = this.#timers.elapsedMs()
    const at = Math.max(now, (this.#begun[this.#next] ?? now) + 1000)
    this.#begun[this.#next] = at
    this.#next = (this.#next + 1) % this.#begun.length
    if (at > now) await this.#timers.pause(at - now, signal)
    signal.throwIfAborted()
  }
}

/** Does `work` for each item, `width` at a time, in order. The first error ends it. */
export async function eachOf<T>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  let isFailed = false
  const worker = async () => {
    while (next < items.length && !isFailed) {
      const index = next
      next += 1
      try {
        await work(items[index] as T, index)
      } catch (error) {
        isFailed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
}
