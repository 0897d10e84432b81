import type { BreakerVerdict, RecipientState } from './breaker.ts'
import type { Delivery, DeliveryReport, DeliveryTarget, NewDelivery } from './delivery.ts'

/** Request for deliveries that are due. */
export interface TakeDueRequest {
  readonly kind: string
  /** Names the lease: only its holder settles its deliveries. */
  readonly token: string
  readonly leaseSeconds: number
  readonly limit: number
  /** The most of one receiver. */
  readonly perRecipient: number
  /** Receivers that get another share than `perRecipient`, such as 0 while the caller is busy with them. */
  readonly shares?: Readonly<Record<string, number>> | undefined
  /** Receivers after this one come first, in the order of their bytes; the others follow. */
  readonly after?: string | undefined
  /** Only these receivers. Default: all. */
  readonly only?: readonly string[] | undefined
  /** Attempts that a delivery gets unless it was added with another number. */
  readonly maxAttempts: number
}

/** Result of an attempt, as it is recorded. */
export interface DeliverySettlement {
  readonly id: string
  readonly token: string
  readonly state: 'due' | 'sent' | 'failed'
  /** Delay before the next attempt, from now. Used only if `state` is `due`. */
  readonly delaySeconds: number
  readonly status: number | undefined
  readonly error: string | undefined
  /** Whether the attempt is given back, as if it was not made. */
  readonly isUncounted?: boolean | undefined
  /** The result as the breaker of the receiver counts it; undefined if the breaker stays as it is. */
  readonly verdict?: BreakerVerdict | undefined
  /** The attempt as it is kept with the delivery; undefined if attempts of the kind are not kept. */
  readonly attempt?: { readonly durationMs: number; readonly response: string } | undefined
}

/** Number of deliveries that are due and not under way. */
export interface DueCounts {
  /** Deliveries that a run would take. */
  readonly remaining: number
  /** Deliveries that wait behind a breaker that is not closed. */
  readonly held: number
}

/**
 * Storage of the outbox: deliveries that wait, are leased, or are over, and the breaker state of each
 * receiver. Nothing else queues.
 *
 * Another channel joins in four steps. It chooses a `kind` and a meaning for `recipient`: the unit that fails
 * as one, and so has one breaker (an endpoint; for mail, the relay). It calls `add` in the transaction that
 * writes the thing to be sent, and names that by `payload`. It writes a `DeliverySender` for the kind: how
 * one attempt is made, its schedule and its breaker. It makes a `DeliveryRunner` of the sender, and calls
 * `run` from a task of the tick and from its run route. Claims, leases, retries, breakers, expiry and
 * retention are then the engine's.
 */
export interface DeliveriesStore {
  /** Adds a delivery. The id must be new. */
  add(delivery: NewDelivery, now?: Date): Promise<void>
  /**
   * Takes due deliveries under a lease and counts an attempt of each, of each receiver the longest due first.
   * After the lease another caller gets them. A receiver whose breaker is open gets nothing until its
   * cooldown is over, and then one attempt in all; one that is paused gets nothing.
   */
  takeDue(request: TakeDueRequest, now?: Date): Promise<readonly Delivery[]>
  /** Records the result of an attempt and ends the lease. Returns false if the lease is no longer held. */
  settle(settlement: DeliverySettlement, now?: Date): Promise<boolean>
  /**
   * Ends deliveries that no attempt is made of any more, and which are not under way: as `expired` if they
   * waited too long, as `failed` if the lease of their last attempt ran out. Returns their number.
   */
  expire(kind: string, now?: Date): Promise<number>
  /** The delivery to a receiver that was made last. */
  latest(target: DeliveryTarget): Promise<DeliveryReport | undefined>
  /** State of the way to a receiver. */
  recipient(target: DeliveryTarget): Promise<RecipientState>
  counts(kind: string, only: readonly string[] | undefined, now?: Date): Promise<DueCounts>
  /**
   * Deletes at most `limit` deliveries of a kind that were over more than `keepDays` ago, and receivers
   * without deliveries whose breaker is closed. Returns the number of deliveries.
   */
  purge(
    kind: string,
    keep: { readonly keepDays: number; readonly limit: number },
    now?: Date,
  ): Promise<number>
}
