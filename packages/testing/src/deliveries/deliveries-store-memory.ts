import type { DeliveriesStore, Delivery, DeliverySettlement, TakeDueRequest } from '@svc/core/ports'
import type { MemoryTable } from '../memory-table.ts'
import type { Run } from '../memory-turns.ts'
import { byBytes } from '../text-order.ts'
import { type MemoryDelivery, reportOf } from './memory-delivery.ts'

type Deliveries = MemoryTable<MemoryDelivery>

const later = (at: Date, seconds: number) => new Date(at.getTime() + seconds * 1000)
const DAY_MS = 86_400_000

/** The outbox in memory. */
export function memoryDeliveriesStore(
  { deliveries }: { readonly deliveries: Deliveries },
  run: Run,
  time: () => Date,
): DeliveriesStore {
  return {
    add: (delivery, now = time()) =>
      run(() => {
        if (deliveries.get(delivery.id) !== undefined)
          throw new Error(`there is a delivery ${delivery.id} already`)
        deliveries.put(delivery.id, { ...delivery, ...NEW, createdAt: now, dueAt: now })
      }),
    takeDue: (request, now = time()) => run(() => takeDue(deliveries, request, now)),
    settle: (settlement, now = time()) => run(() => settle(deliveries, settlement, now)),
    latest: ({ kind, recipient }) =>
      run(() => {
        const own = deliveries.all().filter((each) => each.kind === kind && each.recipient === recipient)
        const [latest] = own.sort((one, other) => byBytes(other.id, one.id))
        return latest === undefined ? undefined : reportOf(latest)
      }),
    purge: (kinds, keepDays, now = time()) =>
      run(() => {
        const before = new Date(now.getTime() - keepDays * DAY_MS)
        const isOld = ({ kind, state, createdAt }: MemoryDelivery) =>
          kinds.includes(kind) && state !== 'due' && createdAt < before
        const old = deliveries.all().filter(isOld)
        for (const { id } of old) deliveries.put(id, undefined)
        return old.length
      }),
  }
}

const NEW = {
  state: 'due',
  attempts: 0,
  settledAt: undefined,
  status: undefined,
  error: undefined,
  leaseToken: undefined,
  leaseUntil: undefined,
} as const

function takeDue(deliveries: Deliveries, request: TakeDueRequest, now: Date): Delivery[] {
  const { kinds, token, leaseSeconds, limit } = request
  const isFree = ({ leaseUntil }: MemoryDelivery) => leaseUntil === undefined || leaseUntil <= now
  const due = deliveries
    .all()
    .filter((each) => each.state === 'due' && kinds.includes(each.kind) && each.dueAt <= now && isFree(each))
    .sort((one, other) => one.dueAt.getTime() - other.dueAt.getTime() || byBytes(one.id, other.id))
    .slice(0, limit)
  return due.map((delivery) => {
    const { id, kind, recipient, createdAt } = delivery
    const attempts = delivery.attempts + 1
    const leaseUntil = later(now, leaseSeconds)
    deliveries.put(id, { ...delivery, attempts, leaseToken: token, leaseUntil })
    return { id, kind, recipient, attempts, createdAt }
  })
}

function settle(deliveries: Deliveries, settlement: DeliverySettlement, now: Date): boolean {
  const { id, token, state, delaySeconds, status, error } = settlement
  const old = deliveries.get(id)
  if (old === undefined || old.leaseToken !== token) return false
  const dueAt = state === 'due' ? later(now, delaySeconds) : old.dueAt
  const settledAt = state === 'due' ? undefined : now
  const free = { leaseToken: undefined, leaseUntil: undefined }
  deliveries.put(id, { ...old, ...free, state, dueAt, settledAt, status, error })
  return true
}
