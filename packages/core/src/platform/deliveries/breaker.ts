/**
 * State of the way to a receiver. `closed`: deliveries flow · `open`: none is attempted · `half_open`: one
 * attempt finds out whether they may flow again.
 */
export const BREAKER_STATES = ['closed', 'open', 'half_open'] as const
export type BreakerState = (typeof BREAKER_STATES)[number]

/** When a breaker opens, and for how long. */
export interface BreakerPolicy {
  /** Failures in a row, over all deliveries of a receiver, that open it. */
  readonly failures: number
  /** Duration of the first opening, in seconds. It doubles with each failed probe, up to the next. */
  readonly cooldownSeconds: number
  readonly cooldownMaxSeconds: number
}

/** How long the one attempt of a half-open breaker may take before another is made, in seconds. */
export const PROBE_SECONDS = 60

/** State of a receiver over all its deliveries. */
export interface RecipientState {
  readonly breaker: BreakerState
  readonly consecutiveFailures: number
  /** How often in a row the breaker has opened. */
  readonly opens: number
  readonly openUntil: Date | undefined
  /** End of the time of a probe. */
  readonly probeUntil: Date | undefined
  /** First of the failures since the last success. */
  readonly failingSince: Date | undefined
  readonly lastSuccessAt: Date | undefined
  readonly lastFailureAt: Date | undefined
  /** Why nothing is sent to it, in one word; undefined while it is served. */
  readonly paused: string | undefined
}

/** A receiver that nothing was sent to yet. */
export const NEW_RECIPIENT: RecipientState = {
  breaker: 'closed',
  consecutiveFailures: 0,
  opens: 0,
  openUntil: undefined,
  probeUntil: undefined,
  failingSince: undefined,
  lastSuccessAt: undefined,
  lastFailureAt: undefined,
  paused: undefined,
}

/** Result of an attempt, as a breaker counts it: `delivery-settle-sql.ts` has the rule. */
export interface BreakerVerdict {
  readonly delivered: boolean
  readonly policy: BreakerPolicy
  /** Factor of the next cooldown, so that breakers that opened together do not close together. */
  readonly spread: number
}
