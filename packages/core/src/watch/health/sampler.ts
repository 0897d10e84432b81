import { inTime } from '../../kernel/race.ts'
import type { Timers } from '../../kernel/timers.ts'

/** Age of a sample after which the next reader starts a new one. */
const SAMPLE_MS = 15_000
/** How long the first reader waits, so that it gets figures from a database that answers. */
const FIRST_MS = 500
/** A sample that takes longer counts as failed. */
const SLOW_MS = 5000

/**
 * Samples costly figures in the background, at most every 15 s and one at a time. Only the first reader
 * waits, for at most half a second.
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

  /** Returns the latest sample; undefined if none has succeeded yet. */
  async latest(): Promise<S | undefined> {
    const now = this.#timers.elapsedMs()
    if (!this.#isTaking && now - this.#begunMs > SAMPLE_MS) this.#begin(now)
    await this.#first
    return this.#latest
  }

  /** Whether the latest sample succeeded in time. */
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
