import type { Scope } from '@svc/core'
import {
  type Alert,
  type AlertActionWrite,
  type AlertFilter,
  type AlertKey,
  type AlertsStore,
  agentId,
  alertStatus,
  CLONE_SECONDS,
  REFUSAL_SECONDS,
} from '@svc/core/ports'
import type { Run } from '../../memory-turns.ts'
import { byBytes } from '../../text-order.ts'
import { move, shown } from './alert-move-memory.ts'
import type { AlertTables } from './alert-tables.ts'
import { keyOf, type MemoryAlert, type MemoryAlertKey } from './memory-alert.ts'

const actionsOf = ({ actions }: AlertTables, alertId: string) =>
  actions
    .all()
    .filter((each) => each.alertId === alertId)
    .sort((one, other) => byBytes(one.id, other.id))

/** Alerts in memory. */
export function memoryAlertsStore(tables: AlertTables, run: Run, time: () => Date): AlertsStore {
  const { actions, alerts, watches } = tables
  return {
    watches: (key, now = time()) =>
      run(() => {
        const found = watches.all().filter((watch) => key === undefined || isOf(watch, key))
        return { at: now, watches: found.map((watch) => toAlertKey(tables, watch, now)) }
      }),
    move: (made, at, now = time()) => run(() => move(tables, made, at, now)),
    write: (write, now = time()) => run(() => writeAll(tables, write, now)),
    record: (entries, now = time()) =>
      run(() => {
        const kept = entries.filter(
          ({ alertId, note, onlyNews }) => !onlyNews || actionsOf(tables, alertId).at(-1)?.note !== note,
        )
        for (const { id, alertId } of kept) {
          if (alerts.get(alertId) === undefined) throw new Error(`there is no alert ${alertId}`)
          if (actions.get(id) !== undefined) throw new Error(`there is an action ${id} already`)
        }
        for (const { onlyNews: _, ...entry } of kept) actions.put(entry.id, { ...entry, at: now })
      }),
    actions: (alertId) => run(() => actionsOf(tables, alertId)),
    byIds: (scope, ids) =>
      run(() =>
        ids.flatMap((id) => inScope(tables, scope, alerts.get(id)).map((alert) => shown(tables, alert))),
      ),
    byKey: (scope, dedupKey) => run(() => byKey(tables, scope, dedupKey)),
    list: (scope, filter, now = time()) => run(() => list(tables, scope, filter, now)),
    counts: (now = time()) =>
      run(() => {
        const counts = new Map<`${ReturnType<typeof alertStatus>} ${Alert['severity']}`, number>()
        for (const alert of alerts.all()) {
          const key = `${alertStatus(shown(tables, alert), now)} ${alert.severity}` as const
          counts.set(key, (counts.get(key) ?? 0) + 1)
        }
        return counts
      }),
    purge: (keepDays, now = time()) =>
      run(() => purge(tables, new Date(now.getTime() - keepDays * 86_400_000), now)),
  }
}

const isOf = (
  one: { licenseId: string; dedupKey: string },
  other: { licenseId: string; dedupKey: string },
): boolean => one.licenseId === other.licenseId && one.dedupKey === other.dedupKey

const newest = (one: { id: string }, other: { id: string }): number => byBytes(other.id, one.id)

// By the end and not by the id alone: replicas make the ids, and their clocks differ.
const openOrLast = (one: MemoryAlert, other: MemoryAlert): number =>
  closedAt(other) - closedAt(one) || newest(one, other)

const closedAt = ({ resolvedAt }: MemoryAlert): number => resolvedAt?.getTime() ?? Number.MAX_SAFE_INTEGER

function toAlertKey(tables: AlertTables, { evaluatedAt: _, ...watch }: MemoryAlertKey, now: Date): AlertKey {
  const [latest] = tables.alerts
    .all()
    .filter((alert) => isOf(alert, watch))
    .sort(openOrLast)
  if (latest === undefined) return { ...watch, alert: undefined }
  const isAnnounced = tables.notices
    .all()
    .some(
      (notice) =>
        notice.alertId === latest.id && notice.opening === latest.count && notice.transition !== 'resolved',
    )
  const { id, resolvedAt, flapping, ackExpiresAt, event } = latest
  const isAcknowledged = ackExpiresAt !== undefined && ackExpiresAt > now
  return { ...watch, alert: { id, resolvedAt, flapping, isAcknowledged, isAnnounced, event } }
}

export function inScope(tables: AlertTables, scope: Scope, alert: MemoryAlert | undefined): MemoryAlert[] {
  if (alert === undefined) return []
  const { licenseId, tenantId } = alert
  const isOf = (id: string | undefined) => id !== undefined && tenantId === id
  const isOfLicense = (id: string) =>
    licenseId === id || (licenseId === '' && isOf(tables.licenses.get(id)?.tenantId))
  if (scope.of === 'platform') return [alert]
  return (scope.of === 'tenant' ? isOf(scope.id) : isOfLicense(scope.id)) ? [alert] : []
}

const order = (one: MemoryAlert, other: MemoryAlert): number =>
  Number(one.resolvedAt !== undefined) - Number(other.resolvedAt !== undefined) || newest(one, other)

function byKey(tables: AlertTables, scope: Scope, dedupKey: string): Alert[] {
  const found = tables.alerts
    .all()
    .filter((alert) => alert.dedupKey === dedupKey)
    .flatMap((alert) => inScope(tables, scope, alert))
    .sort(order)
  const first = new Map<string, MemoryAlert>()
  for (const alert of found) if (!first.has(alert.licenseId)) first.set(alert.licenseId, alert)
  return [...first.values()]
    .sort((one, other) => byBytes(one.licenseId, other.licenseId))
    .map((alert) => shown(tables, alert))
}

function list(tables: AlertTables, scope: Scope, filter: AlertFilter, now: Date): Alert[] {
  const { status, host, kind, since, after, limit } = filter
  const isWanted = (alert: Alert) =>
    (status === undefined || alertStatus(alert, now) === status) &&
    (kind === undefined || alert.kind === kind) &&
    (since === undefined || alert.startsAt >= since) &&
    (host === undefined || namesOf(alert).includes(host))
  const isAfter = ({ id, resolvedAt }: Alert) => {
    if (after === undefined) return true
    const isResolved = resolvedAt !== undefined
    return isResolved === after.isResolved ? byBytes(id, after.id) < 0 : isResolved
  }
  return tables.alerts
    .all()
    .flatMap((alert) => inScope(tables, scope, alert))
    .sort(order)
    .map((alert) => shown(tables, alert))
    .filter((alert) => isWanted(alert) && isAfter(alert))
    .slice(0, limit)
}

const namesOf = ({ host }: Alert): readonly string[] =>
  host === undefined ? [] : [host.hostname, host.fingerprint, agentId(host.fingerprint)]

function writeAll(tables: AlertTables, write: AlertActionWrite, now: Date): string[] {
  const named = write.ids.flatMap((id) => tables.alerts.get(id) ?? [])
  // A snooze belongs to the key: every named alert of a key that changes counts as changed.
  const snoozed = new Set(named.filter((alert) => snoozeOver(tables, alert, write) !== undefined))
  for (const alert of snoozed) {
    const watch = snoozeOver(tables, alert, write)
    if (watch !== undefined) tables.watches.put(keyOf(alert.licenseId, alert.dedupKey), watch)
  }
  const changed = named.filter((alert) => {
    const next = acted(alert, write, now)
    if (next !== undefined) tables.alerts.put(alert.id, next)
    return next !== undefined || snoozed.has(alert)
  })
  return changed.map(({ id }) => id)
}

/** The key of an alert with another snooze; undefined if the action does not change it. */
function snoozeOver(
  { watches }: AlertTables,
  alert: MemoryAlert,
  { action, until }: AlertActionWrite,
): MemoryAlertKey | undefined {
  if (action !== 'unsnooze' && (action !== 'snooze' || alert.resolvedAt !== undefined)) return undefined
  const watch = watches.get(keyOf(alert.licenseId, alert.dedupKey))
  const snoozedUntil = action === 'snooze' ? until : undefined
  if (watch === undefined || watch.snoozedUntil?.getTime() === snoozedUntil?.getTime()) return undefined
  return { ...watch, snoozedUntil, revision: watch.revision + 1 }
}

function acted(
  alert: MemoryAlert,
  { action, actor, until }: AlertActionWrite,
  now: Date,
): MemoryAlert | undefined {
  if (action === 'unack') {
    if (alert.acknowledgedAt === undefined) return undefined
    return { ...alert, acknowledgedAt: undefined, acknowledgedBy: undefined, ackExpiresAt: undefined }
  }
  const isAcked = alert.ackExpiresAt !== undefined && alert.ackExpiresAt > now
  if (action !== 'ack' || alert.resolvedAt !== undefined || isAcked) return undefined
  return { ...alert, acknowledgedAt: now, acknowledgedBy: actor, ackExpiresAt: until }
}

function purge(tables: AlertTables, before: Date, now: Date): number {
  const { alerts, notices, actions } = tables
  purgeFacts(tables, now)
  const old = alerts.all().filter(({ resolvedAt }) => resolvedAt !== undefined && resolvedAt < before)
  for (const { id } of old) {
    alerts.put(id, undefined)
    for (const entry of actions.all()) if (entry.alertId === id) actions.put(entry.id, undefined)
    for (const { alertId, opening, transition, channel } of notices.all()) {
      if (alertId === id) notices.put(keyOf(alertId, opening, transition, channel), undefined)
    }
  }
  return old.length
}

function purgeFacts({ refusals, identities }: AlertTables, now: Date): void {
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  for (const { licenseId, minute } of refusals.all()) {
    if (minute < ago(2 * REFUSAL_SECONDS)) refusals.put(keyOf(licenseId, minute.getTime()), undefined)
  }
  for (const { licenseId, fingerprint, bootId, hostname, returnedAt } of identities.all()) {
    const isOld = returnedAt !== undefined && returnedAt < ago(6 * CLONE_SECONDS)
    if (isOld) identities.put(keyOf(licenseId, fingerprint, bootId, hostname), undefined)
  }
}
