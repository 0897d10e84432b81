import {
  type DeliveriesStore,
  type DeliverySettlement,
  NEW_RECIPIENT,
  type NewDelivery,
} from '@svc/core/ports'
import type { Run } from '../../memory-turns.ts'
import type { MemoryAttempt } from '../../reach/webhooks/memory-webhook.ts'
import { keyOf } from '../../watch/alerts/memory-alert.ts'
import { afterAttempt } from './breaker-memory.ts'
import { byAge, type DeliveryTables, isFree, later, takeDue } from './memory-claim.ts'
import { type MemoryDelivery, reportOf } from './memory-delivery.ts'

const DAY_MS = 86_400_000
const EXPIRED_AT_ONCE = 1000

/** The outbox in memory. */
export function memoryDeliveriesStore(tables: DeliveryTables, run: Run, time: () => Date): DeliveriesStore {
  const { deliveries, recipients } = tables
  return {
    add: (delivery, now = time()) =>
      run(() => {
        if (deliveries.get(delivery.id) !== undefined)
          throw new Error(`there is a delivery ${delivery.id} already`)
        deliveries.put(delivery.id, added(delivery, now))
      }),
    takeDue: (request, now = time()) => run(() => takeDue(tables, request, now)),
    settle: (settlement, now = time()) => run(() => settle(tables, settlement, now)),
    expire: (kind, now = time()) => run(() => expire(tables, kind, now)),
    latest: ({ kind, recipient }) =>
      run(() => {
        const own = deliveries.all().filter((each) => each.kind === kind && each.recipient === recipient)
        const latest = own.sort(byAge).at(-1)
        return latest === undefined ? undefined : reportOf(latest)
      }),
    recipient: ({ kind, recipient }) =>
      run(() => {
        const { kind: _, recipient: __, ...state } = recipients.get(keyOf(kind, recipient)) ?? UNKNOWN
        return state
      }),
    counts: (kind, only, now = time()) =>
      run(() => {
        const counts = { remaining: 0, held: 0 }
        for (const each of deliveries.all()) {
          const { breaker, paused } = recipients.get(keyOf(kind, each.recipient)) ?? NEW_RECIPIENT
          const isOver = each.expiresAt !== undefined && each.expiresAt <= now
          if (each.kind !== kind || each.state !== 'due' || each.dueAt > now || isOver) continue
          if (!isFree(each, now) || paused !== undefined) continue
          if (only !== undefined && !only.includes(each.recipient)) continue
          counts[breaker === 'closed' ? 'remaining' : 'held'] += 1
        }
        return counts
      }),
    purge: (kind, { keepDays, limit }, now = time()) =>
      run(() => {
        const before = new Date(now.getTime() - keepDays * DAY_MS)
        for (const each of recipients.all()) {
          const { breaker, paused, failingSince, lastSuccessAt, lastFailureAt } = each
          const isAtRest = breaker === 'closed' && paused === undefined && failingSince === undefined
          const seen = lastSuccessAt ?? lastFailureAt
          if (each.kind === kind && isAtRest && seen !== undefined && seen < before)
            recipients.put(keyOf(kind, each.recipient), undefined)
        }
        const isOld = ({ kind: own, state, settledAt }: MemoryDelivery) =>
          own === kind && state !== 'due' && settledAt !== undefined && settledAt < before
        const bySettled = (one: MemoryDelivery, other: MemoryDelivery) =>
          (one.settledAt?.getTime() ?? 0) - (other.settledAt?.getTime() ?? 0)
        const old = deliveries.all().filter(isOld).sort(bySettled).slice(0, limit)
        for (const { id } of old) deliveries.put(id, undefined)
        return old.length
      }),
  }
}

const UNKNOWN = { ...NEW_RECIPIENT, kind: '', recipient: '' }

function added(delivery: NewDelivery, now: Date): MemoryDelivery {
  const { id, kind, recipient, payload, delaySeconds = 0, maxAttempts, expiresSeconds } = delivery
  return {
    id,
    kind,
    recipient,
    payload,
    maxAttempts,
    sequence: delivery.sequence,
    isForced: delivery.isForced ?? false,
    createdAt: now,
    dueAt: later(now, delaySeconds),
    expiresAt: expiresSeconds === undefined ? undefined : later(now, expiresSeconds),
    state: 'due',
    attempts: 0,
    settledAt: undefined,
    status: undefined,
    error: undefined,
    ...UNLEASED,
  }
}

const UNLEASED = { leaseToken: undefined, leaseUntil: undefined, spentAt: undefined } as const

function settle(tables: DeliveryTables, settlement: DeliverySettlement, now: Date): boolean {
  const { id, token, state, delaySeconds, status, error, isUncounted, verdict, attempt } = settlement
  const old = tables.deliveries.get(id)
  if (old === undefined || old.leaseToken !== token) return false
  const dueAt = state === 'due' ? later(now, delaySeconds) : old.dueAt
  const settledAt = state === 'due' ? undefined : now
  const attempts = old.attempts - (isUncounted ? 1 : 0)
  tables.deliveries.put(id, { ...old, ...UNLEASED, attempts, state, dueAt, settledAt, status, error })
  if (attempt !== undefined) {
    const kept = { deliveryId: id, n: old.attempts, at: now, status, error, ...attempt }
    tables.of<MemoryAttempt>('deliveryAttempts').put(keyOf(id, old.attempts), kept)
  }
  if (verdict === undefined) return true
  const { kind, recipient } = old
  const key = keyOf(kind, recipient)
  const before = tables.recipients.get(key) ?? { ...NEW_RECIPIENT, kind, recipient }
  const after = { ...afterAttempt(before, verdict, now), kind, recipient }
  // The instant of the last success is written once a second.
  const isCalm =
    before.consecutiveFailures === 0 && before.breaker === 'closed' && before.failingSince === undefined
  const isFresh = before.lastSuccessAt !== undefined && before.lastSuccessAt > later(now, -1)
  if (!(verdict.delivered && isCalm && isFresh)) tables.recipients.put(key, after)
  return true
}

function expire({ deliveries }: DeliveryTables, kind: string, now: Date): number {
  const endOf = ({ spentAt, expiresAt }: MemoryDelivery) => (spentAt ?? expiresAt)?.getTime()
  const isOver = (each: MemoryDelivery) => {
    const end = endOf(each)
    return each.kind === kind && each.state === 'due' && end !== undefined && end <= now.getTime()
  }
  const over = deliveries.all().filter((each) => isOver(each) && isFree(each, now))
  over.sort((one, other) => (endOf(one) ?? 0) - (endOf(other) ?? 0))
  for (const each of over.slice(0, EXPIRED_AT_ONCE)) {
    const isLost = each.spentAt !== undefined
    const end = isLost ? ({ state: 'failed', error: 'lost' } as const) : ({ state: 'expired' } as const)
    deliveries.put(each.id, { ...each, ...UNLEASED, ...end, settledAt: now })
  }
  return Math.min(over.length, EXPIRED_AT_ONCE)
}
