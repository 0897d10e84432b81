import type { Storage } from '@svc/core'

/** An instant that a statement compares with, and what is answered around it. */
export interface Boundary {
  /** What is there. */
  readonly name: string
  /** A millisecond before, at it, and a millisecond after. */
  readonly answers: readonly [unknown, unknown, unknown]
  /** Makes what is asked about anew, and asks `offset` milliseconds from the instant. */
  readonly ask: (storage: Storage, offset: number) => Promise<unknown>
}

/** What stands up to the instant and not at it. */
export const UNTIL = [true, false, false] as const
/** What begins at the instant. */
export const FROM = [false, true, true] as const
/** What begins behind the instant. */
export const AFTER = [false, false, true] as const
