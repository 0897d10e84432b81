/**
 * `due`: waits for its next attempt, or is under way · `sent`: the receiver accepted it · `failed`: given up
 * · `expired`: too old to be sent · `skipped`: made for a receiver that was switched off · `cancelled`: its
 * receiver is gone.
 */
export const DELIVERY_STATES = ['due', 'sent', 'failed', 'expired', 'skipped', 'cancelled'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/**
 * Receiver of deliveries. The feature that makes deliveries of a kind gives `recipient` its meaning; the
 * engine compares both texts and does not read them.
 */
export interface DeliveryTarget {
  readonly kind: string
  readonly recipient: string
}

/** One delivery. Its payload stays with the feature that made it. */
export interface Delivery extends DeliveryTarget {
  /** Stays the same over all attempts, so that receivers recognize a repeated delivery. */
  readonly id: string
  /** The name that its feature gave to its payload. Several deliveries may carry the same. */
  readonly payload: string | undefined
  /** Attempts so far; of a delivery that was just taken, the attempt about to be made included. */
  readonly attempts: number
  /** How many attempts it gets; undefined if as many as its sender makes. */
  readonly maxAttempts: number | undefined
  /** Whether it is attempted in any state of its receiver. */
  readonly isForced: boolean
  readonly createdAt: Date
}

/** A delivery to add. It is due at once. */
export interface NewDelivery extends DeliveryTarget {
  readonly id: string
  readonly payload?: string | undefined
  /** Time before the first attempt, in seconds. Default: none. */
  readonly delaySeconds?: number | undefined
  /** Default: as many as its sender makes. */
  readonly maxAttempts?: number | undefined
  /** How long it may wait, in seconds; then it is `expired`. Default: for ever. */
  readonly expiresSeconds?: number | undefined
  /**
   * Name of a sequence, such as a job. A later delivery of a sequence to a receiver is not attempted before
   * the first attempt of each earlier one is over.
   */
  readonly sequence?: string | undefined
  /**
   * Whether it is attempted in any state of its receiver; its result does not change that state. For a test
   * that a person asks for.
   */
  readonly isForced?: boolean | undefined
}

/** State of a delivery. */
export interface DeliveryReport extends Delivery {
  readonly state: DeliveryState
  /** When the next attempt is due. */
  readonly dueAt: Date
  readonly settledAt: Date | undefined
  /** Status of the last answer, such as an HTTP status. */
  readonly status: number | undefined
  readonly error: string | undefined
}

/** Outcome of one attempt to send. */
export interface DeliveryOutcome {
  readonly delivered: boolean
  /** Status of the answer; undefined if there was none. */
  readonly status: number | undefined
  /** One word for the reason of a failure. */
  readonly error: string | undefined
  /** Whether a retry is useless. */
  readonly isFinal: boolean
  /**
   * The side at fault. `receiver` (the default): uses up an attempt and counts for the breaker. `route` (such
   * as a mail relay that is down): counts for the breaker only. `ours`: uses up an attempt only. `unready`
   * (such as a secret that cannot be opened): neither.
   */
  readonly fault?: 'receiver' | 'route' | 'ours' | 'unready'
  /** Whether the receiver answered although the failure is `ours`: then its breaker counts a success. */
  readonly isReached?: true | undefined
  /** The shortest time before the next attempt, in seconds. */
  readonly restSeconds?: number | undefined
  /** Time before the next attempt that the receiver asked for, in seconds. It is followed within limits. */
  readonly retryAfterSeconds?: number | undefined
  /** The header `Retry-After` as it came. */
  readonly retryAfter?: string | undefined
  /** First characters of the answer, for the record of the attempt. */
  readonly response?: string | undefined
}
