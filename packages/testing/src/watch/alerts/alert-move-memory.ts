import type { Alert, AlertContent, AlertWrite } from '@svc/core/ports'
import { jsonCopy } from '../../text-order.ts'
import type { AlertTables } from './alert-tables.ts'
import { keyOf, type MemoryAlert, type MemoryAlertKey } from './memory-alert.ts'

/** Returns an alert as readers get it: with the snooze of its dedup key. */
export const shown = ({ watches }: AlertTables, { event: _, ...alert }: MemoryAlert): Alert => ({
  ...alert,
  snoozedUntil: watches.get(keyOf(alert.licenseId, alert.dedupKey))?.snoozedUntil,
})

/**
 * Writes a step as the database does: first the watch, then the alert and its notices. Writes nothing and
 * returns undefined when another write of the watch came first.
 */
export function move(
  tables: AlertTables,
  made: AlertWrite,
  at: Date,
  now: Date,
): { alert: Alert | undefined } | undefined {
  if (!writeKey(tables, made, at, now)) return undefined
  const hit = writeAlert(tables, made, now)
  if (hit === undefined) return { alert: undefined }
  announce(tables, made, hit, now)
  return { alert: { ...shown(tables, hit), snoozedUntil: undefined } }
}

function writeKey({ watches }: AlertTables, made: AlertWrite, at: Date, now: Date): boolean {
  const { licenseId, tenantId, dedupKey, revision, step, forget, actor } = made
  const key = keyOf(licenseId, dedupKey)
  const old = watches.get(key)
  if ((old?.revision ?? 0) !== revision) return false
  if (forget) {
    watches.put(key, undefined)
    return old !== undefined
  }
  const isLate = old !== undefined && actor === undefined && old.evaluatedAt >= at
  if (isLate) return false
  const evaluatedAt = old === undefined || actor === undefined ? now : old.evaluatedAt
  const base: Pick<MemoryAlertKey, 'snoozedUntil' | 'tenantId'> = old ?? { snoozedUntil: undefined, tenantId }
  watches.put(key, { ...base, ...step.state, licenseId, dedupKey, revision: revision + 1, evaluatedAt })
  return true
}

function writeAlert(tables: AlertTables, made: AlertWrite, now: Date): MemoryAlert | undefined {
  const { step, alertId } = made
  if (step.alert === 'none') return undefined
  const next = step.alert === 'open' ? opened(tables, made, now) : changed(tables, made, now)
  if (next !== undefined) tables.alerts.put(alertId, next)
  return next
}

const isOpen = (licenseId: string, dedupKey: string) => (alert: MemoryAlert) =>
  alert.licenseId === licenseId && alert.dedupKey === dedupKey && alert.resolvedAt === undefined

function opened({ alerts }: AlertTables, made: AlertWrite, now: Date): MemoryAlert | undefined {
  const { licenseId, tenantId, dedupKey, alertId, content, step } = made
  if (content === undefined || alerts.all().some(isOpen(licenseId, dedupKey))) return undefined
  return {
    id: alertId,
    licenseId,
    tenantId,
    dedupKey,
    ...copied(content),
    count: 1,
    flapping: step.flapping,
    startsAt: now,
    lastSeenAt: now,
    acknowledgedAt: undefined,
    acknowledgedBy: undefined,
    ackExpiresAt: undefined,
    resolvedAt: undefined,
    notifiedAt: undefined,
  }
}

const copied = (content: AlertContent): AlertContent => ({ ...content, details: jsonCopy(content.details) })

function changed({ alerts }: AlertTables, made: AlertWrite, now: Date): MemoryAlert | undefined {
  const { alertId, content, step } = made
  const old = alerts.get(alertId)
  const reopens = step.alert === 'reopen'
  if (old === undefined || reopens !== (old.resolvedAt !== undefined)) return undefined
  if (reopens && alerts.all().some(isOpen(old.licenseId, old.dedupKey))) {
    throw new Error('two unresolved alerts of one license and dedup key')
  }
  const again = {
    count: old.count + 1,
    notifiedAt: undefined,
    acknowledgedAt: undefined,
    acknowledgedBy: undefined,
    ackExpiresAt: undefined,
  }
  const seen =
    content === undefined
      ? {}
      : {
          ...copied(content),
          host: content.host ?? old.host,
          event: content.event ?? old.event,
          lastSeenAt: now,
        }
  const resolvedAt = step.alert === 'resolve' ? now : undefined
  return { ...old, ...seen, ...(reopens ? again : {}), flapping: step.flapping, resolvedAt }
}

function announce(
  { notices, webhooks, mailboxes }: AlertTables,
  { step }: AlertWrite,
  hit: MemoryAlert,
  now: Date,
): void {
  const transition = step.notice
  if (transition === undefined) return
  const { event: _, ...snapshot } = hit
  const tenantId = hit.tenantId ?? ''
  for (const channel of ['log', 'webhook', 'mail'] as const) {
    const opening = notices
      .all()
      .some(
        (notice) =>
          notice.alertId === hit.id &&
          notice.opening === hit.count &&
          notice.channel === channel &&
          notice.transition !== 'resolved',
      )
    const receivers = { log: tenantId, webhook: webhooks.get(tenantId), mail: mailboxes.get(tenantId) }
    const has = receivers[channel] !== undefined
    const key = keyOf(hit.id, hit.count, transition, channel)
    if (!(transition === 'resolved' ? opening : has) || notices.get(key) !== undefined) continue
    notices.put(key, {
      alertId: hit.id,
      opening: hit.count,
      transition,
      channel,
      tenantId,
      snapshot: { ...snapshot, snoozedUntil: undefined },
      createdAt: now,
      deliveryId: undefined,
    })
  }
}
