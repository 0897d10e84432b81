import { setImmediate as turn } from 'node:timers/promises'
import type { Timers } from '@svc/core'
import { type FakeClock, type Step, stepMs } from './fake-clock.ts'

interface Waiter {
  readonly dueMs: number
  readonly resolve: () => void
}

/**
 * Turns of the event loop that are left to what a pause held up: reads and writes of fakes take a few each.
 */
const TURNS = 5

/** Timers that stand still until the test moves them, together with a clock. */
export class FakeTimers implements Timers {
  readonly #clock: FakeClock
  readonly #waiting = new Set<Waiter>()
  #elapsedMs = 0

  constructor(clock: FakeClock) {
    this.#clock = clock
  }

  /** Pauses under way. */
  get waiting(): number {
    return this.#waiting.size
  }

  elapsedMs(): number {
    return this.#elapsedMs
  }

  pause(ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (signal?.aborted) resolve()
    else {
      const waiter = { dueMs: this.#elapsedMs + Math.max(0, ms), resolve }
      this.#waiting.add(waiter)
      signal?.addEventListener('abort', () => this.#end(waiter), { once: true })
    }
    return promise
  }

  /** Resolves when something pauses: after what really takes its time, such as reading a file. */
  async begun(): Promise<void> {
    while (this.#waiting.size === 0) await turn()
  }

  /** Moves on, one pause after the other in the order of their ends, and lets what waited for each go on. */
  async advance(step: number | Step): Promise<void> {
    const untilMs = this.#elapsedMs + stepMs(step)
    await settle()
    for (;;) {
      const [next] = [...this.#waiting].sort((one, other) => one.dueMs - other.dueMs)
      if (next === undefined || next.dueMs > untilMs) break
      this.#moveTo(next.dueMs)
      this.#end(next)
      await settle()
    }
    this.#moveTo(untilMs)
    await settle()
  }

  #moveTo(elapsedMs: number): void {
    this.#clock.advance(elapsedMs - this.#elapsedMs)
    this.#elapsedMs = elapsedMs
  }

  #end(waiter: Waiter): void {
    this.#waiting.delete(waiter)
    waiter.resolve()
  }
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < TURNS; turns += 1) await turn()
}
