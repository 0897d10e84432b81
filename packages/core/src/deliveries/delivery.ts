/** `due`: waits for its next attempt · `sent`: the receiver accepted it · `failed`: given up. */
export const DELIVERY_STATES = ['due', 'sent', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/**
 * Receiver of deliveries. The feature that makes deliveries of a kind gives `recipient` its meaning; the
 * engine compares both texts and does not read them.
 */
export interface DeliveryTarget {
  readonly kind: string
  readonly recipient: string
}

/** One delivery. Its payload stays with the feature that made it, which finds the payload by `id`. */
export interface Delivery extends DeliveryTarget {
  /** Stays the same over all attempts, so that receivers recognize a repeated delivery. */
  readonly id: string
  /** Attempts so far; of a delivery that was just taken, the attempt about to be made included. */
  readonly attempts: number
  readonly createdAt: Date
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
}
