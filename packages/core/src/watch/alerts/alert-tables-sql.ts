import { defineEntity, p } from '@mikro-orm/core'
import {
  fact,
  person,
  redacted,
  sealed,
  type TablesOf,
  time,
  valuesOf,
  verbatim,
  word,
} from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import { maybeInstant } from '../../platform/database/values.ts'
import type { DeliveryEntity } from '../../platform/deliveries/delivery-tables-sql.ts'
import type { Alert, AlertAction, AlertKind, AlertSeverity } from './alert.ts'
import type { AlertDetails } from './alert-details.ts'
import type { AlertKey, AlertTransition } from './alert-lifecycle.ts'
import type { AlertChannelName } from './channels/alert-deliveries-store.ts'

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
    transitions: fact(p.json().$type<readonly number[]>()),
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
    kind: word(p.text().$type<AlertKind>()),
    severity: word(p.text().$type<AlertSeverity>()),
    summary: fact(p.text()),
    fingerprint: fact(p.text().nullable()),
    hostname: fact(p.text().nullable()),
    details: fact(p.json().$type<AlertDetails>()),
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
    action: word(p.text().$type<AlertAction>()),
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
    addresses: person(p.json().$type<readonly string[]>()),
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
    transition: word(p.text().$type<AlertTransition>().primary()),
    channel: word(p.text().$type<AlertChannelName>().primary()),
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

const ofAlert = valuesOf(AlertEntity, 'event', 'resolvedBy')
const ofWatch = valuesOf(AlertWatchEntity, 'evaluatedAt')

/**
 * Reads a row of `alerts`, or its snapshot. The end of a snooze is a column of `alert_watches`, absent in
 * statements that do not join it.
 */
export function toAlert(row: object): Alert {
  const { snoozed_until = null } = row as { snoozed_until?: string | null }
  const { fingerprint, hostname = '', ...alert } = ofAlert(row)
  return {
    ...alert,
    host: fingerprint === undefined ? undefined : { fingerprint, hostname },
    snoozedUntil: maybeInstant(snoozed_until),
  }
}

/** The latest alert of a dedup key, as statements join it to a row of `alert_watches`. */
export interface KeyedAlertRow {
  readonly alert_id: string | null
  readonly resolved_at: string | null
  readonly flapping: boolean
  readonly acknowledged: boolean
  readonly announced: boolean
  readonly event: string | null
}

/** Reads a row of `alert_watches`, joined with the latest alert of its dedup key. */
export function toAlertKey(row: KeyedAlertRow): AlertKey {
  const { present, ...key } = ofWatch(row)
  const alert =
    row.alert_id === null
      ? undefined
      : {
          id: row.alert_id,
          resolvedAt: maybeInstant(row.resolved_at),
          flapping: row.flapping,
          isAcknowledged: row.acknowledged,
          isAnnounced: row.announced,
          event: row.event ?? undefined,
        }
  return { ...key, isPresent: present, alert }
}

/** Reads a row of `alert_actions`. */
export const toAction = valuesOf(AlertActionEntity)
/** Reads a row of `alert_webhooks`. */
export const toWebhook = valuesOf(AlertWebhookEntity)
/** Reads a row of `alert_mailboxes`. */
export const toMailboxes = valuesOf(AlertMailboxesEntity)

interface Tables
  extends TablesOf<
    | typeof AlertEntity
    | typeof AlertActionEntity
    | typeof AlertWebhookEntity
    | typeof AlertMailboxesEntity
    | typeof AlertNoticeEntity
    | typeof RateRefusalsEntity
    | typeof DeliveryEntity
  > {}

/** Statements over its tables, and deliveries. */
export const { statement, scoped } = statementsOver<Tables>()
