import type { Storage } from '@svc/core'

/** An instant that a statement compares with, and the expected answers around it. */
export interface Boundary {
  /** The rule, which is the title of its test. */
  readonly name: string
  /** The answers a millisecond before the instant, at it, and a millisecond after. */
  readonly answers: readonly [unknown, unknown, unknown]
  /** Makes new rows, and asks about them `offset` milliseconds from the instant. */
  readonly ask: (storage: Storage, offset: number) => Promise<unknown>
}

/** True before the instant, not at it. */
export const UNTIL = [true, false, false] as const
/** True at the instant and after it. */
export const FROM = [false, true, true] as const
/** True after the instant, not at it. */
export const AFTER = [false, false, true] as const
