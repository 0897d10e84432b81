import { defineEntity, p } from '@mikro-orm/core'
import { fact, person, redacted, sealed, time, verbatim, word } from '../database/table-sql.ts'

/** Table `alert_watches`. */
export const AlertWatchEntity = defineEntity({
  name: 'AlertWatch',
  tableName: 'alert_watches',
  properties: {
    licenseId: word(p.text().primary()),
    dedupKey: fact(p.text().primary()),
    tenantId: word(p.text().nullable()),
    revision: p.integer(),
    evaluatedAt: time(),
    pendingSince: time().nullable(),
    present: p.boolean(),
    transitions: fact(p.json()),
    dismissed: fact(p.text().nullable()),
    snoozedUntil: time().nullable(),
  },
})

/** Table `alerts`. */
export const AlertEntity = defineEntity({
  name: 'Alert',
  tableName: 'alerts',
  properties: {
    id: word(p.text().primary()),
    licenseId: word(p.text()),
    tenantId: word(p.text().nullable()),
    dedupKey: fact(p.text()),
    kind: word(p.text()),
    severity: word(p.text()),
    summary: fact(p.text()),
    fingerprint: fact(p.text().nullable()),
    hostname: fact(p.text().nullable()),
    details: fact(p.json()),
    event: word(p.text().nullable()),
    count: p.integer(),
    flapping: p.boolean(),
    startsAt: time(),
    lastSeenAt: time(),
    acknowledgedAt: time().nullable(),
    acknowledgedBy: person(p.text().nullable()),
    ackExpiresAt: time().nullable(),
    resolvedAt: time().nullable(),
    resolvedBy: person(p.text().nullable()),
    notifiedAt: time().nullable(),
  },
})

/** Table `alert_actions`. */
export const AlertActionEntity = defineEntity({
  name: 'AlertAction',
  tableName: 'alert_actions',
  properties: {
    id: word(p.text().primary()),
    alertId: word(p.text()),
    at: time(),
    actor: person(p.text()),
    action: word(p.text()),
    note: redacted(p.text().nullable()),
  },
})

/** Table `alert_webhooks`. */
export const AlertWebhookEntity = defineEntity({
  name: 'AlertWebhook',
  tableName: 'alert_webhooks',
  properties: {
    tenantId: word(p.text().primary()),
    url: verbatim(p.text()),
    secret: sealed(p.text()),
    createdAt: time(),
  },
})

/** Table `alert_mailboxes`. */
export const AlertMailboxesEntity = defineEntity({
  name: 'AlertMailboxes',
  tableName: 'alert_mailboxes',
  properties: {
    tenantId: word(p.text().primary()),
    addresses: person(p.json()),
    createdAt: time(),
  },
})

/** Table `alert_notices`. */
export const AlertNoticeEntity = defineEntity({
  name: 'AlertNotice',
  tableName: 'alert_notices',
  properties: {
    alertId: word(p.text().primary()),
    opening: p.integer().primary(),
    transition: word(p.text().primary()),
    channel: word(p.text().primary()),
    tenantId: word(p.text()),
    snapshot: fact(p.json()),
    createdAt: time(),
    deliveryId: word(p.text().nullable()),
  },
})

/** Table `rate_refusals`. */
export const RateRefusalsEntity = defineEntity({
  name: 'RateRefusals',
  tableName: 'rate_refusals',
  properties: {
    licenseId: word(p.text().primary()),
    minute: time().primary(),
    count: p.integer(),
  },
})

/** Table `alert_evaluations`. */
export const AlertEvaluationEntity = defineEntity({
  name: 'AlertEvaluation',
  tableName: 'alert_evaluations',
  properties: {
    singleton: p.boolean().primary().default(true),
    at: time(),
    gapFrom: time().nullable(),
    gapUntil: time().nullable(),
  },
})

/** Its tables. */
export const entities = [
  AlertWatchEntity,
  AlertEntity,
  AlertActionEntity,
  AlertWebhookEntity,
  AlertMailboxesEntity,
  AlertNoticeEntity,
  RateRefusalsEntity,
  AlertEvaluationEntity,
]
