import type { Clock } from '@svc/core'

/** The default start of a fake clock: a whole second of an ordinary day. */
export const FAKE_START = '2026-01-05T09:00:00.000Z'

/** A duration that a clock moves by, in any of these units. */
export interface Step {
  readonly ms?: number
  readonly seconds?: number
  readonly minutes?: number
  readonly hours?: number
  readonly days?: number
}

const MS = { ms: 1, seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const

/** Returns a step in milliseconds. */
export function stepMs(step: number | Step): number {
  const units = Object.entries(typeof step === 'number' ? { ms: step } : step)
  return units.reduce((sum, [unit, amount]) => sum + (amount ?? 0) * MS[unit as keyof typeof MS], 0)
}

/**
 * A clock that stands still until the test moves it. Stores use its instant, too, instead of the database's
 * clock.
 */
export class FakeClock implements Clock {
  #at: number

  constructor(start: string | Date = FAKE_START) {
    this.#at = new Date(start).getTime()
  }

  now(): Date {
    return new Date(this.#at)
  }

  statementTime(): Date {
    return this.now()
  }

  /** Moves on by `step`, a number of milliseconds or named units, and returns the new instant. */
  advance(step: number | Step): Date {
    this.#at += stepMs(step)
    return this.now()
  }
}
