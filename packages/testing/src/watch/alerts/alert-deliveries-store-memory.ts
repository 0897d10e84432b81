import type { Scope } from '@svc/core'
import type { AlertAudience, AlertDeliveriesStore, AlertDeliveryReport, AlertDigest } from '@svc/core/ports'
import type { Run } from '../../memory-turns.ts'
import type { MemoryDelivery } from '../../platform/deliveries/memory-delivery.ts'
import { byBytes } from '../../text-order.ts'
import type { AlertTables } from './alert-tables.ts'
import { keyOf, type MemoryNotice } from './memory-alert.ts'

const isIn =
  (scope: Scope) =>
  ({ tenantId }: { readonly tenantId: string }) =>
    scope.of === 'platform' || (scope.of === 'tenant' && tenantId === scope.id)
const noticeKey = ({ alertId, opening, transition, channel }: MemoryNotice) =>
  keyOf(alertId, opening, transition, channel)

/** Alert deliveries in memory. */
export function memoryAlertDeliveriesStore(
  tables: AlertTables,
  run: Run,
  time: () => Date,
): AlertDeliveriesStore {
  const { deliveries, notices, webhooks, mailboxes } = tables
  return {
    waiting: () =>
      run(() => {
        const keys = new Set(ready(tables).map(({ channel, tenantId }) => keyOf(channel, tenantId)))
        return [...keys].sort(byBytes).map((key) => {
          const [channel, tenantId] = JSON.parse(key) as [AlertAudience['channel'], string]
          return { channel, tenantId }
        })
      }),
    bundle: (id, audience) => run(() => bundle(tables, id, audience)),
    digest: (delivery) => run(() => digest(tables, delivery)),
    announced: (id, now = time()) => run(() => announced(tables, id, now)),
    reports: (alertId) =>
      run(() =>
        notices
          .all()
          .filter((notice) => notice.alertId === alertId)
          .sort(byTime)
          .map((notice) => noticeReport(deliveries.get(notice.deliveryId ?? ''), notice)),
      ),
    setWebhook: ({ rotate, ...webhook }, now = time()) =>
      run(() => {
        const old = webhooks.get(webhook.tenantId)
        const secret = old === undefined || rotate ? webhook.secret : old.secret
        const next = { ...webhook, secret, createdAt: old?.createdAt ?? now }
        webhooks.put(webhook.tenantId, next)
        return next
      }),
    webhook: (tenantId) => run(() => webhooks.get(tenantId)),
    webhooks: (scope) =>
      run(() =>
        webhooks
          .all()
          .filter(isIn(scope))
          .sort((one, other) => byBytes(one.tenantId, other.tenantId)),
      ),
    removeWebhook: (tenantId) =>
      run(() => {
        const had = webhooks.get(tenantId) !== undefined
        webhooks.put(tenantId, undefined)
        return had
      }),
    setMailboxes: (given, now = time()) =>
      run(() => {
        const next = { ...given, createdAt: mailboxes.get(given.tenantId)?.createdAt ?? now }
        mailboxes.put(given.tenantId, next)
        return next
      }),
    mailboxes: (scope) =>
      run(() =>
        mailboxes
          .all()
          .filter(isIn(scope))
          .sort((one, other) => byBytes(one.tenantId, other.tenantId)),
      ),
    removeMailboxes: (tenantId) =>
      run(() => {
        const had = mailboxes.get(tenantId) !== undefined
        mailboxes.put(tenantId, undefined)
        return had
      }),
  }
}

const byTime = (one: MemoryNotice, other: MemoryNotice): number =>
  one.createdAt.getTime() - other.createdAt.getTime() ||
  one.opening - other.opening ||
  byBytes(one.channel, other.channel) ||
  byBytes(one.transition, other.transition)

function ready({ notices, deliveries }: AlertTables): MemoryNotice[] {
  const all = notices.all()
  const isSent = (notice: MemoryNotice) => deliveries.get(notice.deliveryId ?? '')?.state === 'sent'
  const opening = (end: MemoryNotice) => (notice: MemoryNotice) =>
    notice.alertId === end.alertId &&
    notice.opening === end.opening &&
    notice.channel === end.channel &&
    notice.transition !== 'resolved'
  return all.filter(
    (notice) =>
      notice.deliveryId === undefined &&
      (notice.transition !== 'resolved' || all.filter(opening(notice)).some(isSent)),
  )
}

function bundle(tables: AlertTables, id: string, { channel, tenantId }: AlertAudience): boolean {
  const own = ready(tables).filter((notice) => notice.channel === channel && notice.tenantId === tenantId)
  for (const notice of own) tables.notices.put(noticeKey(notice), { ...notice, deliveryId: id })
  return own.length > 0
}

function digest(
  { notices, webhooks, mailboxes }: AlertTables,
  { id, channel, tenantId }: AlertAudience & { readonly id: string },
): AlertDigest {
  const own = notices.all().filter(({ deliveryId }) => deliveryId === id)
  own.sort(
    (one, other) => byBytes(one.alertId, other.alertId) || one.opening - other.opening || byTime(one, other),
  )
  return {
    notices: own.map(({ transition, snapshot }) => ({ transition, alert: snapshot })),
    webhook: channel === 'webhook' ? webhooks.get(tenantId) : undefined,
    addresses: channel === 'mail' ? (mailboxes.get(tenantId)?.addresses ?? []) : [],
  }
}

function announced({ notices, alerts }: AlertTables, id: string, now: Date): void {
  for (const { deliveryId, transition, alertId, opening } of notices.all()) {
    const alert = alerts.get(alertId)
    if (deliveryId !== id || transition === 'resolved' || alert === undefined) continue
    if (alert.count === opening && alert.notifiedAt === undefined)
      alerts.put(alertId, { ...alert, notifiedAt: now })
  }
}

function noticeReport(delivery: MemoryDelivery | undefined, notice: MemoryNotice): AlertDeliveryReport {
  const { channel, tenantId, transition, opening, createdAt } = notice
  const own = { channel, tenantId, transition, opening, createdAt }
  if (delivery === undefined) {
    const nothing = { settledAt: undefined, status: undefined, error: undefined }
    return { id: '', ...own, state: 'due', attempts: 0, dueAt: createdAt, ...nothing }
  }
  const { id, state, attempts, dueAt, settledAt, status, error } = delivery
  return { id, ...own, state, attempts, dueAt, settledAt, status, error }
}
