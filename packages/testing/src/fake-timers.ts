import { setImmediate as turn } from 'node:timers/promises'
import type { Timers } from '@svc/core'
import { type FakeClock, type Step, stepMs } from './fake-clock.ts'

interface Waiter {
  readonly dueMs: number
  readonly resolve: () => void
}

/**
 * The number of turns of the event loop that code gets after its pause has ended: each read or write of a
 * fake takes a few.
 */
const TURNS = 5

/** Timers that stand still until the test advances them; they advance a clock with them. */
export class FakeTimers implements Timers {
  readonly #clock: FakeClock
  readonly #waiting = new Set<Waiter>()
  #elapsedMs = 0

  constructor(clock: FakeClock) {
    this.#clock = clock
  }

  /** The number of pauses under way. */
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

  /** Resolves when a pause is under way, even if real work, such as reading a file, comes first. */
  async begun(): Promise<void> {
    while (this.#waiting.size === 0) await turn()
  }

  /**
   * Advances time by `step`. Ends the pauses in the order of their ends, and lets the code after each run
   * first.
   */
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
