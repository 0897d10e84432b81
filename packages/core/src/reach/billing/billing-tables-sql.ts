import { defineEntity, p } from '@mikro-orm/core'
import {
  bigInteger,
  fact,
  sealed,
  type TablesOf,
  time,
  valuesOf,
  word,
} from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import type { CheckoutState } from './billing-store.ts'
import { factsOf } from './event-facts.ts'
import type { PaymentEventState, StoredPaymentEvent } from './payment-event.ts'
import type { ParkedReason, StoredSubscription, SubscriptionStatus } from './subscription.ts'

/** Table `billing_checkouts`. */
export const CheckoutEntity = defineEntity({
  name: 'Checkout',
  tableName: 'billing_checkouts',
  properties: {
    id: word(p.text().primary()),
    licenseId: word(p.text()),
    tier: word(p.text()),
    priceId: word(p.text()),
    request: sealed(p.text()),
    sessionId: word(p.text().nullable()),
    url: sealed(p.text().nullable()),
    state: word(p.text().$type<CheckoutState>()),
    reservedAt: time(),
    expiresAt: time(),
  },
})

/** Table `billing_answers`. */
export const BillingAnswerEntity = defineEntity({
  name: 'BillingAnswer',
  tableName: 'billing_answers',
  properties: {
    licenseId: word(p.text().primary()),
    key: fact(p.text().primary()),
    bodyHash: word(p.text()),
    checkoutId: word(p.text()),
    isReused: p.boolean(),
    createdAt: time(),
  },
})

/** Table `billing_subscriptions`. */
export const SubscriptionEntity = defineEntity({
  name: 'Subscription',
  tableName: 'billing_subscriptions',
  properties: {
    id: word(p.text().primary()),
    licenseId: word(p.text()),
    customerId: word(p.text()),
    priceId: word(p.text().nullable()),
    tier: word(p.text().nullable()),
    status: word(p.text().$type<SubscriptionStatus>().nullable()),
    cancelAtPeriodEnd: p.boolean(),
    cancelAt: time().nullable(),
    currentPeriodEnd: time().nullable(),
    endedAt: time().nullable(),
    createdAt: time(),
    syncToken: bigInteger(),
    liveToken: bigInteger().nullable(),
    lastEventCreated: time().nullable(),
    lastEventRank: p.integer().nullable(),
    parkedReason: word(p.text().$type<ParkedReason>().nullable()),
  },
})

/** Table `billing_sync_tokens`. */
export const SyncTokenEntity = defineEntity({
  name: 'SyncToken',
  tableName: 'billing_sync_tokens',
  properties: {
    singleton: p.boolean().primary().default(true),
    last: bigInteger(),
  },
})

/** Table `billing_dunning`. */
export const DunningEntity = defineEntity({
  name: 'Dunning',
  tableName: 'billing_dunning',
  properties: {
    licenseId: word(p.text().primary()),
    invoiceId: word(p.text().primary()),
    startedAt: time(),
    endedAt: time().nullable(),
  },
})

/** Table `payment_events`. */
export const PaymentEventEntity = defineEntity({
  name: 'PaymentEvent',
  tableName: 'payment_events',
  properties: {
    id: word(p.text().primary()),
    type: word(p.text()),
    created: time(),
    livemode: p.boolean(),
    objectId: word(p.text()),
    licenseId: word(p.text().nullable()),
    state: word(p.text().$type<PaymentEventState>()),
    attempts: p.integer(),
    nextAttemptAt: time().nullable(),
    leaseToken: word(p.text().nullable()),
    leaseUntil: time().nullable(),
    error: word(p.text().nullable()),
    payloadRedacted: fact(p.json().$type<object>()),
    receivedAt: time(),
  },
})

/** Its tables. */
export const entities = [
  CheckoutEntity,
  BillingAnswerEntity,
  SubscriptionEntity,
  SyncTokenEntity,
  DunningEntity,
  PaymentEventEntity,
]

/** Reads a row of `billing_checkouts`. */
export const toCheckout = valuesOf(CheckoutEntity)
/** Reads a row of `billing_answers`. */
export const toAnswer = valuesOf(BillingAnswerEntity, 'licenseId', 'createdAt')
/** Reads a row of `billing_dunning`. */
export const toDunning = valuesOf(DunningEntity)

const subscriptionOf = valuesOf(SubscriptionEntity, 'cancelAtPeriodEnd')
/** Reads a row of `billing_subscriptions`. */
export function toSubscription(row: object): StoredSubscription {
  const { lastEventCreated: createdAt, lastEventRank: rank, ...subscription } = subscriptionOf(row)
  return { ...subscription, lastEvent: createdAt && { createdAt, rank: rank ?? 0 } }
}

const eventOf = valuesOf(PaymentEventEntity, 'leaseToken', 'leaseUntil')
/** Reads a row of `payment_events`. */
export function toEvent(row: object): StoredPaymentEvent {
  const { payloadRedacted, ...event } = eventOf(row)
  return { ...event, facts: factsOf(payloadRedacted) }
}

interface Tables
  extends TablesOf<
    | typeof CheckoutEntity
    | typeof BillingAnswerEntity
    | typeof SubscriptionEntity
    | typeof SyncTokenEntity
    | typeof DunningEntity
    | typeof PaymentEventEntity
  > {}

/** Statements over them. */
export const { statement } = statementsOver<Tables>()
