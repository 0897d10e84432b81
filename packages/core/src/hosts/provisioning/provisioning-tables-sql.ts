import { defineEntity, p } from '@mikro-orm/core'
import {
  bigInteger,
  digest,
  fact,
  sealed,
  type TablesOf,
  time,
  valuesOf,
  word,
} from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import type { CredentialState } from './credential.ts'
import type { OrderState, ProviderName } from './order.ts'
import type { OrderEvent, StepOutcome } from './provisioning-store.ts'

/** Table `provisioning_orders`. */
export const OrderEntity = defineEntity({
  name: 'Order',
  tableName: 'provisioning_orders',
  properties: {
    id: word(p.text().primary()),
    licenseId: word(p.text()),
    plan: word(p.text()),
    provider: word(p.text().$type<ProviderName>()),
    serverType: word(p.text()),
    image: word(p.text()),
    locations: word(p.json().$type<readonly string[]>()),
    location: word(p.text()),
    sshKeys: word(p.json().$type<readonly string[]>()),
    hostname: fact(p.text()),
    state: word(p.text().$type<OrderState>()),
    stateSince: time(),
    attempt: p.integer().default(0),
    creates: p.integer().default(0),
    nextRunAt: time().nullable(),
    leaseUntil: time().nullable(),
    claimToken: word(p.text().nullable()),
    providerName: word(p.text()),
    nonce: word(p.text()),
    createSentAt: time().nullable(),
    serverId: word(p.text().nullable()),
    actionId: word(p.text().nullable()),
    ipv4: fact(p.text().nullable()),
    ipv6: fact(p.text().nullable()),
    userDataSha256: digest(p.text().nullable()),
    monthlyMinor: bigInteger().nullable(),
    currency: word(p.text().nullable()),
    licenseKey: sealed(p.text().nullable()),
    errorCode: word(p.text().nullable()),
    errorDetail: fact(p.text().nullable()),
    errorSince: time().nullable(),
    createdAt: time(),
    updatedAt: time(),
  },
})

/** Table `provisioning_events`. */
export const OrderEventEntity = defineEntity({
  name: 'OrderEvent',
  tableName: 'provisioning_events',
  properties: {
    orderId: word(p.text().primary()),
    seq: p.integer().primary(),
    at: time(),
    fromState: word(p.text().$type<OrderState>()),
    toState: word(p.text().$type<OrderState>()),
    step: word(p.text()),
    outcome: word(p.text().$type<StepOutcome>()),
    httpStatus: p.integer().nullable(),
    correlationId: word(p.text().nullable()),
    detail: fact(p.text().nullable()),
  },
})

/** Table `provisioning_reservations`. */
export const ReservationEntity = defineEntity({
  name: 'Reservation',
  tableName: 'provisioning_reservations',
  properties: {
    orderId: word(p.text().primary()),
    amountMinor: bigInteger(),
    currency: word(p.text()),
    releasedAt: time().nullable(),
  },
})

/** Table `provisioning_budget`. */
export const BudgetEntity = defineEntity({
  name: 'Budget',
  tableName: 'provisioning_budget',
  properties: {
    id: p.integer().primary(),
    planeId: word(p.text()),
    ceilingMinor: bigInteger(),
    currency: word(p.text()),
  },
})

/** Table `provisioning_catalog`. */
export const CatalogEntryEntity = defineEntity({
  name: 'CatalogEntry',
  tableName: 'provisioning_catalog',
  properties: {
    plan: word(p.text().primary()),
    provider: word(p.text().$type<ProviderName>().primary()),
    serverType: word(p.text()),
    locations: word(p.json().$type<readonly string[]>()),
    image: word(p.text()),
    sshKeys: word(p.json().$type<readonly string[]>()),
    maxMonthlyMinor: bigInteger(),
    currency: word(p.text()),
    enabled: p.boolean(),
  },
})

/** Table `provider_credentials`. */
export const CredentialEntity = defineEntity({
  name: 'Credential',
  tableName: 'provider_credentials',
  properties: {
    provider: word(p.text().$type<ProviderName>().primary()),
    tokenEnc: sealed(p.text().nullable()),
    fingerprint: digest(p.text()),
    state: word(p.text().$type<CredentialState>()),
    verifiedAt: time().nullable(),
    rateResetAt: time().nullable(),
  },
})

/** Its tables. */
export const entities = [
  OrderEntity,
  OrderEventEntity,
  ReservationEntity,
  BudgetEntity,
  CatalogEntryEntity,
  CredentialEntity,
]

const ofEvent = valuesOf(OrderEventEntity, 'orderId', 'seq')

/** Reads a row of `provisioning_orders`. */
export const toOrder = valuesOf(OrderEntity, 'leaseUntil', 'claimToken')
/** Reads a row of `provisioning_events`. */
export function toEvent(row: object): OrderEvent {
  const { fromState, toState, ...event } = ofEvent(row)
  return { ...event, from: fromState, to: toState }
}
/** Reads a row of `provisioning_catalog`. */
export const toCatalogEntry = valuesOf(CatalogEntryEntity)
/** Reads a row of `provider_credentials`. */
export const toCredential = valuesOf(CredentialEntity)

interface Tables
  extends TablesOf<
    | typeof OrderEntity
    | typeof OrderEventEntity
    | typeof ReservationEntity
    | typeof BudgetEntity
    | typeof CatalogEntryEntity
    | typeof CredentialEntity
  > {}

/** Statements over its tables. */
export const { statement } = statementsOver<Tables>()
