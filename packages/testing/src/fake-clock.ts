import type { Clock } from '@svc/core'

/** Where a fake clock starts when the test does not say: a whole second of an ordinary day. */
export const FAKE_START = '2026-01-05T09:00:00.000Z'

/** How far to move, in the unit that reads best. */
export interface Step {
  readonly ms?: number
  readonly seconds?: number
  readonly minutes?: number
  readonly hours?: number
  readonly days?: number
}

const MS = { ms: 1, seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const

/** A step in milliseconds. */
export function stepMs(step: number | Step): number {
  const units = Object.entries(typeof step === 'number' ? { ms: step } : step)
  return units.reduce((sum, [unit, amount]) => sum + (amount ?? 0) * MS[unit as keyof typeof MS], 0)
}

/**
 * A clock that stands still until the test moves it. Stores get its instant too, instead of the database's
 * own.
 */
export class FakeClock implements Clock {
  #at: number

  constructor(start: string | Date = FAKE_START) {
    this.#at = new Date(start).getTime()
  }

  now(): Date {
    return new Date(this.#at)
  }

  forStores(): Date {
    return this.now()
  }

  /** Moves on by `step`, a number of milliseconds or named units, and returns the new instant. */
  advance(step: number | Step): Date {
    this.#at += stepMs(step)
    return this.now()
  }
}
