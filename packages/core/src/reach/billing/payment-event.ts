import type { Subscription } from './subscription.ts'

/** States of an event. `parked` and `failed` wait for a person, unless `failed` has another attempt ahead. */
export const PAYMENT_EVENT_STATES = ['received', 'applied', 'ignored', 'parked', 'failed'] as const
export type PaymentEventState = (typeof PAYMENT_EVENT_STATES)[number]

/**
 * The part of an event that is kept: ids and the state of a subscription, never a card, a name or an
 * address.
 */
export interface EventFacts {
  readonly subscriptionId?: string | undefined
  readonly sessionId?: string | undefined
  readonly invoiceId?: string | undefined
  readonly customerId?: string | undefined
  /** The charge of a dispute or a refund; disputes name no customer. */
  readonly chargeId?: string | undefined
  readonly paymentId?: string | undefined
  /** The subscription as the event tells it. */
  readonly subscription?: Subscription | undefined
}

/** An event of the payment provider whose signature was good. */
export interface PaymentEvent {
  readonly id: string
  readonly type: string
  readonly created: Date
  readonly livemode: boolean
  /** The thing that it is about, such as a subscription. */
  readonly objectId: string
  readonly facts: EventFacts
}

/** An event as it is stored. */
export interface StoredPaymentEvent extends PaymentEvent {
  readonly licenseId: string | undefined
  readonly state: PaymentEventState
  readonly attempts: number
  readonly nextAttemptAt: Date | undefined
  /** Why it was not applied: a word, such as `unknown_price`. */
  readonly error: string | undefined
  readonly receivedAt: Date
}

/** Delays before each further attempt at an event, in seconds. */
export const EVENT_RETRY_SECONDS = [60, 300, 1800, 7200, 43_200] as const

/** The delay after so many attempts; undefined if there is no further one. */
export const retrySeconds = (attempts: number): number | undefined => EVENT_RETRY_SECONDS[attempts - 1]

const SESSIONS = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
] as const
const SUBSCRIPTIONS = [
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
] as const
const INVOICES = ['invoice.paid', 'invoice.payment_failed', 'invoice.payment_action_required'] as const
/** Events that a person has to look at, and that change nothing by themselves. */
const NOTICES = ['charge.dispute.created', 'charge.refunded'] as const

/** The kinds of events that are handled. */
export const HANDLED_EVENTS = [...SESSIONS, ...SUBSCRIPTIONS, ...INVOICES, ...NOTICES] as const

const HANDLED: ReadonlySet<string> = new Set(HANDLED_EVENTS)
/** Whether an event of this type is kept and applied. */
export const isHandled = (type: string): boolean => HANDLED.has(type)
/** Whether an event only calls a person. */
export const isNotice = (type: string): boolean => (NOTICES as readonly string[]).includes(type)

/** The rank of an event within one second. */
export const rankOf = (type: string): number =>
  type === 'customer.subscription.deleted' ? 2 : type === 'customer.subscription.created' ? 0 : 1
