import type { Storage } from '@svc/core'

/** An instant that a statement compares with, and what is answered around it. */
export interface Boundary {
  /** The rule, as the title of its test says it. */
  readonly name: string
  /** A millisecond before, at it, and a millisecond after. */
  readonly answers: readonly [unknown, unknown, unknown]
  /** Makes what is asked about anew, and asks `offset` milliseconds from the instant. */
  readonly ask: (storage: Storage, offset: number) => Promise<unknown>
}

/** True up to the instant and not at it. */
export const UNTIL = [true, false, false] as const
/** True from the instant on. */
export const FROM = [false, true, true] as const
/** True after the instant and not at it. */
export const AFTER = [false, false, true] as const
