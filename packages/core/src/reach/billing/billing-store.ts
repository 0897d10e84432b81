import type { License } from '../../people/licenses/license.ts'
import type { LicenseBilling } from './license-billing.ts'
import type { ParkedReason, StoredSubscription } from './subscription.ts'

/** States of a checkout. A license has at most one in the first two. */
export const CHECKOUT_STATES = ['creating', 'open', 'completed', 'expired', 'failed'] as const
export type CheckoutState = (typeof CHECKOUT_STATES)[number]

/** A checkout of a license. */
export interface Checkout {
  readonly id: string
  readonly licenseId: string
  readonly tier: string
  readonly priceId: string
  /** The request to the provider that a repeat has to send again word for word; sealed. */
  readonly request: string
  /** The session at the provider; undefined until it is made. */
  readonly sessionId: string | undefined
  /** The page where it is paid; sealed. */
  readonly url: string | undefined
  readonly state: CheckoutState
  /** When somebody last began to make it. */
  readonly reservedAt: Date
  readonly expiresAt: Date
}

/** A change of a checkout, if its state is one of `from`. */
export interface CheckoutChange {
  readonly from: readonly CheckoutState[]
  readonly state: CheckoutState
  readonly sessionId?: string | undefined
  readonly url?: string | undefined
  /** Taken over, if it was reserved at least so long ago. */
  readonly idleSeconds?: number | undefined
}

/** The checkout that a license was answered with under an `Idempotency-Key`. */
export interface CheckoutAnswer {
  readonly key: string
  /** Digest of the request. */
  readonly bodyHash: string
  readonly checkoutId: string
  /** Whether the checkout was there before. */
  readonly isReused: boolean
}

/** An invoice whose payment failed, for as long as it is not paid. */
export interface Dunning {
  readonly licenseId: string
  readonly invoiceId: string
  readonly startedAt: Date
  readonly endedAt: Date | undefined
}

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly billing: BillingStore
  }
}

/** Storage of billing: subscriptions, checkouts and unpaid invoices of licenses. */
export interface BillingStore {
  /** Returns a token that is higher than every earlier one, to be taken before the provider is asked. */
  nextToken(): Promise<number>
  /** Returns a license, which nobody else changes until the end of the transaction. */
  lock(licenseId: string): Promise<License | undefined>
  /**
   * Writes billing's fields, and tells `billing.license_updated`. A customer of another license is not taken.
   */
  bill(licenseId: string, billing: LicenseBilling): Promise<License | undefined>
  /** The license of a customer. */
  ofCustomer(customerId: string): Promise<License | undefined>
  /** The subscriptions of a license, in the order of their ids. */
  subscriptions(licenseId: string): Promise<readonly StoredSubscription[]>
  subscription(id: string): Promise<StoredSubscription | undefined>
  /** Every stored subscription that is not canceled, in the order of their ids. */
  current(): Promise<readonly StoredSubscription[]>
  /**
   * Stores a subscription, unless a sync with the same or a higher token did. Returns whether it was
   * stored.
   */
  put(subscription: StoredSubscription): Promise<boolean>
  /** Parks a subscription, or lets it count again. */
  park(id: string, reason: ParkedReason | undefined): Promise<void>
  /** Adds a checkout in `creating`, unless the license has a live one. Returns whether it was added. */
  reserve(
    checkout: Omit<Checkout, 'sessionId' | 'url' | 'state' | 'reservedAt'>,
    now?: Date,
  ): Promise<boolean>
  /** The live checkout of a license. */
  liveCheckout(licenseId: string): Promise<Checkout | undefined>
  checkout(id: string): Promise<Checkout | undefined>
  checkoutOf(sessionId: string): Promise<Checkout | undefined>
  /** Returns the checkout after a change; undefined if its state or age forbids it. */
  moveCheckout(id: string, change: CheckoutChange, now?: Date): Promise<Checkout | undefined>
  /** Returns the answer that a license got under a key within the last day. */
  answered(licenseId: string, key: string, now?: Date): Promise<CheckoutAnswer | undefined>
  /** Remembers an answer for a day, in place of an earlier one of the key. */
  answer(licenseId: string, answer: CheckoutAnswer, now?: Date): Promise<void>
  /** Opens the dunning of an invoice, once. Returns false if it was open or has ended. */
  openDunning(dunning: Omit<Dunning, 'endedAt'>): Promise<boolean>
  /** Ends every open dunning of a license. Returns how many. */
  endDunning(licenseId: string, now?: Date): Promise<number>
  /** Every open dunning, oldest first. */
  dunning(): Promise<readonly Dunning[]>
  /**
   * Deletes checkouts and dunnings that ended more than `days` ago, and answers of more than a day. Returns
   * their number.
   */
  purge(days: number, now?: Date): Promise<number>
}
