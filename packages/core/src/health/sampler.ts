import type { Timers } from '../timers.ts'
import { inTime } from './in-time.ts'

/** How old a sample may be before somebody who looks has a new one taken. */
const SAMPLE_MS = 15_000
/** How long the very first look waits, so that it has figures when the database answers at all. */
const FIRST_MS = 500
/** A sample that takes longer counts as none. */
const SLOW_MS = 5000

/**
 * Figures that are costly to get: taken in the background at most every 15 s, one at a time. Nobody waits for
 * them but the very first look, and that for half a second.
 */
export class Sampler<S> {
  readonly #take: () => Promise<S>
  readonly #timers: Timers
  #begunMs = Number.NEGATIVE_INFINITY
  #isTaking = false
  #first: Promise<void> | undefined
  #latest: S | undefined
  #isUp = false

  constructor(take: () => Promise<S>, timers: Timers) {
    this.#take = take
    this.#timers = timers
  }

  /** The latest sample; undefined when none was ever taken. */
  async latest(): Promise<S | undefined> {
    const now = this.#timers.elapsedMs()
    if (!this.#isTaking && now - this.#begunMs > SAMPLE_MS) this.#begin(now)
    await this.#first
    return this.#latest
  }

  /** Whether the latest sample was taken, and in time. */
  get isUp(): boolean {
    const isLate = this.#isTaking && this.#timers.elapsedMs() - this.#begunMs > SLOW_MS
    return this.#isUp && !isLate
  }

  #begin(now: number): void {
    this.#begunMs = now
    this.#isTaking = true
    const taking = this.#sample().finally(() => {
      this.#isTaking = false
    })
    this.#first ??= inTime(this.#timers, FIRST_MS, () => taking, undefined)
  }

  async #sample(): Promise<void> {
    try {
      this.#latest = await this.#take()
      this.#isUp = true
    } catch {
      this.#isUp = false
    }
  }
}
