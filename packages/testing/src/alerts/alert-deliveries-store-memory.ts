import type {
  AlertAudience,
  AlertDeliveriesStore,
  AlertDelivery,
  DeliveryReport,
  DeliverySettlement,
} from '@svc/core'
import type { Run } from '../memory-turns.ts'
import { byBytes } from '../text-order.ts'
import type { AlertTables } from './alert-tables.ts'
import { keyOf, type MemoryDelivery, type MemoryNotice } from './memory-alert.ts'

const later = (at: Date, seconds: number) => new Date(at.getTime() + seconds * 1000)
const noticeKey = ({ alertId, opening, transition, channel }: MemoryNotice) =>
  keyOf(alertId, opening, transition, channel)

/** Alert deliveries in memory. */
export function memoryAlertDeliveriesStore(
  tables: AlertTables,
  run: Run,
  time: () => Date,
): AlertDeliveriesStore {
  const { deliveries, notices, webhooks } = tables
  return {
    waiting: () =>
      run(() => {
        const keys = new Set(ready(tables).map(({ channel, tenantId }) => keyOf(channel, tenantId)))
        return [...keys].sort(byBytes).map((key) => {
          const [channel, tenantId] = JSON.parse(key) as [AlertAudience['channel'], string]
          return { channel, tenantId }
        })
      }),
    bundle: (id, audience, now = time()) => run(() => bundle(tables, id, audience, now)),
    takeDue: (request, now = time()) => run(() => takeDue(tables, request, now)),
    settle: (settlement, now = time()) => run(() => settle(tables, settlement, now)),
    reports: (alertId) =>
      run(() =>
        notices
          .all()
          .filter((notice) => notice.alertId === alertId)
          .sort(byTime)
          .map((notice) => ({
            ...reportOf(deliveries.get(notice.deliveryId ?? ''), notice),
            transition: notice.transition,
            opening: notice.opening,
          })),
      ),
    latest: (tenantId) =>
      run(() => {
        const own = deliveries
          .all()
          .filter((each) => each.channel === 'webhook' && each.tenantId === tenantId)
        const [latest] = own.sort((one, other) => byBytes(other.id, one.id))
        return latest === undefined ? undefined : toReport(latest)
      }),
    setWebhook: ({ rotate, ...webhook }, now = time()) =>
      run(() => {
        const old = webhooks.get(webhook.tenantId)
        const secret = old === undefined || rotate ? webhook.secret : old.secret
        const next = { ...webhook, secret, createdAt: old?.createdAt ?? now }
        webhooks.put(webhook.tenantId, next)
        return next
      }),
    webhook: (tenantId) => run(() => webhooks.get(tenantId)),
    webhooks: () => run(() => webhooks.all().sort((one, other) => byBytes(one.tenantId, other.tenantId))),
    removeWebhook: (tenantId) =>
      run(() => {
        const had = webhooks.get(tenantId) !== undefined
        webhooks.put(tenantId, undefined)
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

function bundle(tables: AlertTables, id: string, { channel, tenantId }: AlertAudience, now: Date): boolean {
  const own = ready(tables).filter((notice) => notice.channel === channel && notice.tenantId === tenantId)
  if (own.length === 0) return false
  tables.deliveries.put(id, {
    id,
    channel,
    tenantId,
    state: 'due',
    attempts: 0,
    createdAt: now,
    dueAt: now,
    settledAt: undefined,
    status: undefined,
    error: undefined,
    leaseToken: undefined,
    leaseUntil: undefined,
  })
  for (const notice of own) tables.notices.put(noticeKey(notice), { ...notice, deliveryId: id })
  return true
}

function takeDue(
  tables: AlertTables,
  { token, leaseSeconds, limit }: { token: string; leaseSeconds: number; limit: number },
  now: Date,
): AlertDelivery[] {
  const { deliveries, notices, webhooks } = tables
  const isFree = ({ leaseUntil }: MemoryDelivery) => leaseUntil === undefined || leaseUntil <= now
  const due = deliveries
    .all()
    .filter((each) => each.state === 'due' && each.dueAt <= now && isFree(each))
    .sort((one, other) => one.dueAt.getTime() - other.dueAt.getTime() || byBytes(one.id, other.id))
    .slice(0, limit)
  return due.map((delivery) => {
    const { id, channel, tenantId, createdAt } = delivery
    const attempts = delivery.attempts + 1
    const leaseUntil = later(now, leaseSeconds)
    deliveries.put(id, { ...delivery, attempts, leaseToken: token, leaseUntil })
    const own = notices.all().filter(({ deliveryId }) => deliveryId === id)
    own.sort((one, other) => byBytes(one.alertId, other.alertId) || byTime(one, other))
    return {
      id,
      channel,
      tenantId,
      attempts,
      createdAt,
      notices: own.map(({ transition, snapshot }) => ({ transition, alert: snapshot })),
      webhook: channel === 'webhook' ? webhooks.get(tenantId) : undefined,
    }
  })
}

function settle(tables: AlertTables, settlement: DeliverySettlement, now: Date): boolean {
  const { id, token, state, delaySeconds, status, error } = settlement
  const { deliveries, notices, alerts } = tables
  const old = deliveries.get(id)
  if (old === undefined || old.leaseToken !== token) return false
  const dueAt = state === 'due' ? later(now, delaySeconds) : old.dueAt
  const settledAt = state === 'due' ? undefined : now
  const free = { leaseToken: undefined, leaseUntil: undefined }
  deliveries.put(id, { ...old, ...free, state, dueAt, settledAt, status, error })
  if (state !== 'sent') return true
  for (const { deliveryId, transition, alertId, opening } of notices.all()) {
    const alert = alerts.get(alertId)
    if (deliveryId !== id || transition === 'resolved' || alert === undefined) continue
    if (alert.count === opening && alert.notifiedAt === undefined)
      alerts.put(alertId, { ...alert, notifiedAt: now })
  }
  return true
}

const toReport = ({ leaseToken: _, leaseUntil: __, ...report }: MemoryDelivery): DeliveryReport => report

function reportOf(
  delivery: MemoryDelivery | undefined,
  { channel, tenantId, createdAt }: MemoryNotice,
): DeliveryReport {
  if (delivery !== undefined) return { ...toReport(delivery), createdAt }
  const nothing = { settledAt: undefined, status: undefined, error: undefined }
  return { id: '', channel, tenantId, state: 'due', attempts: 0, createdAt, dueAt: createdAt, ...nothing }
}
