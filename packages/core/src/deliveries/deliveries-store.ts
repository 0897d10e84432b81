import type { Delivery, DeliveryReport, DeliveryState, DeliveryTarget } from './delivery.ts'

/** Request for deliveries that are due. */
export interface TakeDueRequest {
  /** Kinds that the caller can send. */
  readonly kinds: readonly string[]
  /** Names the lease: only its holder settles what it took. */
  readonly token: string
  readonly leaseSeconds: number
  readonly limit: number
}

/** Result of an attempt, as it is recorded. */
export interface DeliverySettlement {
  readonly id: string
  readonly token: string
  readonly state: DeliveryState
  /** Delay before the next attempt, from now. Used only if `state` is `due`. */
  readonly delaySeconds: number
  readonly status: number | undefined
  readonly error: string | undefined
}

/**
 * Storage of the outbox: deliveries that wait, are leased, or are over. A feature adds a delivery in the
 * transaction that writes its payload.
 */
export interface DeliveriesStore {
  /** Adds a delivery that is due at once. The id must be new. */
  add(delivery: DeliveryTarget & { readonly id: string }, now?: Date): Promise<void>
  /**
   * Takes due deliveries under a lease and counts an attempt of each, longest due first. After the lease
   * another caller gets them.
   */
  takeDue(request: TakeDueRequest, now?: Date): Promise<readonly Delivery[]>
  /** Records the result of an attempt and ends the lease. Returns false if the lease is no longer held. */
  settle(settlement: DeliverySettlement, now?: Date): Promise<boolean>
  /** The delivery to a receiver that was made last. */
  latest(target: DeliveryTarget): Promise<DeliveryReport | undefined>
  /**
   * Deletes deliveries of these kinds that are over and were made more than `keepDays` ago. Returns their
   * number.
   */
  purge(kinds: readonly string[], keepDays: number, now?: Date): Promise<number>
}
