import { defineEntity, p } from '@mikro-orm/core'
import { fact, redacted, type TablesOf, time, valuesOf, word } from '../database/table-sql.ts'
import { statementsOver } from '../database/typed-statement.ts'
import type { BreakerState } from './breaker.ts'
import type { Delivery, DeliveryReport, DeliveryState } from './delivery.ts'

/** Table `delivery_recipients`. */
export const DeliveryRecipientEntity = defineEntity({
  name: 'DeliveryRecipient',
  tableName: 'delivery_recipients',
  properties: {
    kind: word(p.text().primary()),
    recipient: word(p.text().primary()),
    breaker: word(p.text().$type<BreakerState>().default('closed')),
    consecutiveFailures: p.integer().default(0),
    opens: p.integer().default(0),
    openUntil: time().nullable(),
    probeUntil: time().nullable(),
    failingSince: time().nullable(),
    lastSuccessAt: time().nullable(),
    lastFailureAt: time().nullable(),
    paused: word(p.text().nullable()),
  },
})

/** Table `deliveries`. */
export const DeliveryEntity = defineEntity({
  name: 'Delivery',
  tableName: 'deliveries',
  properties: {
    id: word(p.text().primary()),
    kind: word(p.text()),
    recipient: word(p.text()),
    state: word(p.text().$type<DeliveryState>()),
    attempts: p.integer().default(0),
    createdAt: time(),
    dueAt: time(),
    leaseToken: word(p.text().nullable()),
    leaseUntil: time().nullable(),
    settledAt: time().nullable(),
    status: p.integer().nullable(),
    error: fact(p.text().nullable()),
    payload: word(p.text().nullable()),
    maxAttempts: p.integer().nullable(),
    expiresAt: time().nullable(),
    spentAt: time().nullable(),
    sequence: word(p.text().nullable()),
    forced: p.boolean().default(false),
  },
})

/** Table `delivery_attempts`. */
export const DeliveryAttemptEntity = defineEntity({
  name: 'DeliveryAttempt',
  tableName: 'delivery_attempts',
  properties: {
    deliveryId: word(p.text().primary()),
    n: p.integer().primary(),
    at: time(),
    durationMs: p.integer(),
    status: p.integer().nullable(),
    error: fact(p.text().nullable()),
    response: redacted(p.text()),
  },
})

/** Its tables. */
export const entities = [DeliveryRecipientEntity, DeliveryEntity, DeliveryAttemptEntity]

const OF_THE_ENGINE = ['leaseToken', 'leaseUntil', 'expiresAt', 'spentAt', 'sequence'] as const
const ofTaken = valuesOf(DeliveryEntity, ...OF_THE_ENGINE, 'state', 'dueAt', 'settledAt', 'status', 'error')
const ofListed = valuesOf(DeliveryEntity, ...OF_THE_ENGINE)

/** Reads a row of `deliveries` as senders get it. */
export function toDelivery(row: object): Delivery {
  const { forced, ...delivery } = ofTaken(row)
  return { ...delivery, isForced: forced }
}
/** Reads a row of `deliveries` as readers get it. */
export function toReport(row: object): DeliveryReport {
  const { forced, ...report } = ofListed(row)
  return { ...report, isForced: forced }
}
/** Reads a row of `delivery_recipients`. */
export const toRecipient = valuesOf(DeliveryRecipientEntity, 'kind', 'recipient')
/** Reads a row of `delivery_attempts`. */
export const toAttempt = valuesOf(DeliveryAttemptEntity, 'deliveryId')

interface Tables extends TablesOf<typeof DeliveryRecipientEntity | typeof DeliveryEntity> {}

/** Statements over deliveries and their receivers. */
export const { statement } = statementsOver<Tables>()
