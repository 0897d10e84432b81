import type { PaymentEvent, PaymentEventState, StoredPaymentEvent } from './payment-event.ts'

/** The right to apply an event, for a while. */
export interface EventLease {
  readonly token: string
  readonly seconds: number
}

/** The outcome of an attempt at an event. */
export interface EventSettlement {
  readonly id: string
  /** The token of the lease. */
  readonly token: string
  readonly state: PaymentEventState
  readonly error?: string | undefined
  readonly licenseId?: string | undefined
  /** The delay before the next attempt. */
  readonly delaySeconds?: number | undefined
}

/** A filter of events, newest first. */
export interface EventFilter {
  readonly states?: readonly PaymentEventState[] | undefined
  readonly licenseId?: string | undefined
  readonly limit: number
}

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly paymentEvents: PaymentEventsStore
  }
}

/** Events of the payment provider. */
export interface PaymentEventsStore {
  /**
   * Adds an event, due in `delaySeconds` unless it is settled before; `state` may settle it at once.
   * Returns false if there is one with this id.
   */
  add(
    event: PaymentEvent,
    settled: Pick<StoredPaymentEvent, 'state' | 'error'> & { readonly delaySeconds: number },
    now?: Date,
  ): Promise<boolean>
  get(id: string): Promise<StoredPaymentEvent | undefined>
  list(filter: EventFilter): Promise<readonly StoredPaymentEvent[]>
  /** Takes an event that is in one of `states` and that nobody else holds, and counts the attempt. */
  claim(
    id: string,
    states: readonly PaymentEventState[],
    lease: EventLease,
    now?: Date,
  ): Promise<StoredPaymentEvent | undefined>
  /** Takes the event that is due first. */
  claimDue(lease: EventLease, now?: Date): Promise<StoredPaymentEvent | undefined>
  /** Settles an event. Returns false if the lease is another's by now. */
  settle(settlement: EventSettlement, now?: Date): Promise<boolean>
  /** Sets a parked or failed event aside as `ignored`. Returns it after that; undefined if it is unknown. */
  resolve(id: string): Promise<StoredPaymentEvent | undefined>
  /** Events that call for a person: parked, failed for good, or of the other mode since `hours`. */
  troubles(hours: number, now?: Date): Promise<readonly StoredPaymentEvent[]>
  /** Deletes events of before `days` that no person is waited for. Returns their number. */
  purge(days: number, now?: Date): Promise<number>
}
