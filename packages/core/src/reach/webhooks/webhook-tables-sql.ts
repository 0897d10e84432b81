import { defineEntity, p } from '@mikro-orm/core'
import {
  fact,
  sealed,
  type TablesOf,
  time,
  valuesOf,
  verbatim,
  word,
} from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import type { DeliveryRecipientEntity } from '../../platform/deliveries/delivery-tables-sql.ts'

/** Table `webhook_endpoints`. */
export const WebhookEndpointEntity = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoints',
  properties: {
    id: word(p.text().primary()),
    licenseId: word(p.text()),
    tenantId: word(p.text().nullable()),
    url: verbatim(p.text()),
    description: fact(p.text()),
    events: word(p.array()),
    maxAgeSeconds: p.integer(),
    secret: sealed(p.text()),
    oldSecret: sealed(p.text().nullable()),
    oldSecretUntil: time().nullable(),
    lastError: fact(p.text().nullable()),
    createdAt: time(),
    updatedAt: time(),
  },
})

/** Table `webhook_messages`. */
export const WebhookMessageEntity = defineEntity({
  name: 'WebhookMessage',
  tableName: 'webhook_messages',
  properties: {
    id: word(p.text().primary()),
    licenseId: word(p.text()),
    type: word(p.text()),
    body: fact(p.text()),
    occurredAt: time(),
  },
})

/** Its tables. */
export const entities = [WebhookEndpointEntity, WebhookMessageEntity]

/** Reads a row of `webhook_endpoints`. */
export const toEndpoint = valuesOf(WebhookEndpointEntity, 'maxAgeSeconds')

interface Tables
  extends TablesOf<
    typeof WebhookEndpointEntity | typeof WebhookMessageEntity | typeof DeliveryRecipientEntity
  > {}

/** Statements over both tables, and the states of receivers. */
export const { statement } = statementsOver<Tables>()
