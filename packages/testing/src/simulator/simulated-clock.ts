import type { Clock } from '@svc/core'
import { FAKE_START } from '../fake-clock.ts'
import type { Timeline } from './timeline.ts'

const START_MS = new Date(FAKE_START).getTime()

/** A machine's clock: simulated time plus an offset that may jump. */
export class SimulatedClock implements Clock {
  readonly #timeline: Timeline
  #offsetMs: number
  #latestMs = 0

  constructor(timeline: Timeline, offsetMs = 0) {
    this.#timeline = timeline
    this.#offsetMs = offsetMs
  }

  now(): Date {
    const nowMs = START_MS + this.#timeline.nowMs + this.#offsetMs
    this.#latestMs = Math.max(this.#latestMs, nowMs)
    return new Date(nowMs)
  }

  /** Undefined as in production, where stores use the database's clock. */
  statementTime(): Date | undefined {
    return undefined
  }

  /** Sets the clock forward, or back. */
  jump(ms: number): void {
    this.now()
    this.#offsetMs += ms
  }

  /** Sets the clock to the latest instant it has ever shown, so that nothing stays dated in the future. */
  catchUp(): void {
    const shown = this.now().getTime()
    this.#offsetMs += Math.max(0, this.#latestMs - shown)
  }
}
