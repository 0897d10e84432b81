import type { Stores } from '../storage/storage.ts'
import type { BreakerPolicy } from './breaker.ts'
import type { Delivery, DeliveryOutcome } from './delivery.ts'
import type { RetryPolicy } from './retry.ts'

/** Result of an attempt: over (`sent`, `failed`), or to be tried again. */
export type AttemptState = 'due' | 'sent' | 'failed'

/** The part of a feature in the delivery of a kind. */
export interface DeliverySender extends RetryPolicy {
  readonly kind: string
  /** Attempts under way at the same time, in one process: over all receivers, and of one. */
  readonly concurrency: number
  readonly perRecipient: number
  /** Undefined if failures of the kind never hold back other deliveries. */
  readonly breaker: BreakerPolicy | undefined
  /** Whether each attempt is kept with its delivery. */
  readonly isRecorded?: true
  /** Makes one attempt. Never throws for a failure of the receiver. Must end within `LEASE_SECONDS`. */
  send(delivery: Delivery, signal: AbortSignal | undefined): Promise<DeliveryOutcome>
  /**
   * Returns the write that goes into the transaction that records a result; undefined if there is none, which
   * saves the transaction.
   */
  follow?(delivery: Delivery, state: AttemptState, outcome: DeliveryOutcome): Follow | undefined
  /** Called after each attempt, for metrics. */
  ended?(delivery: Delivery, state: AttemptState): void
}

/** Writes the consequences of a recorded result. */
export type Follow = (stores: Stores) => Promise<void>
