import { type Delivery, NEW_RECIPIENT, PROBE_SECONDS, type TakeDueRequest } from '@svc/core/ports'
import type { MemoryTable } from '../../memory-table.ts'
import { byBytes } from '../../text-order.ts'
import { keyOf } from '../../watch/alerts/memory-alert.ts'
import type { MemoryDelivery, MemoryRecipient } from './memory-delivery.ts'

/** The outbox, and the state of each receiver. */
export interface DeliveryTables {
  readonly deliveries: MemoryTable<MemoryDelivery>
  readonly recipients: MemoryTable<MemoryRecipient>
  of<Row>(name: string): MemoryTable<Row>
}

export const later = (at: Date, seconds: number) => new Date(at.getTime() + seconds * 1000)

/** Whether nobody holds a delivery. */
export const isFree = ({ leaseUntil }: MemoryDelivery, now: Date) =>
  leaseUntil === undefined || leaseUntil <= now

export const byAge = (one: MemoryDelivery, other: MemoryDelivery) =>
  one.createdAt.getTime() - other.createdAt.getTime() || byBytes(one.id, other.id)

const byDue = (one: MemoryDelivery, other: MemoryDelivery) =>
  one.dueAt.getTime() - other.dueAt.getTime() || byBytes(one.id, other.id)

/** Takes due deliveries, as the statement does. */
export function takeDue(tables: DeliveryTables, request: TakeDueRequest, now: Date): Delivery[] {
  const picked = pick(tables, request, now).slice(0, request.limit)
  return picked.sort(byDue).map((delivery) => {
    const { id, kind, recipient, payload, maxAttempts, isForced, createdAt } = delivery
    const attempts = delivery.attempts + 1
    const leaseUntil = later(now, request.leaseSeconds)
    const spentAt = attempts >= (maxAttempts ?? request.maxAttempts) ? leaseUntil : undefined
    tables.deliveries.put(id, { ...delivery, attempts, leaseToken: request.token, leaseUntil, spentAt })
    return { id, kind, recipient, payload, attempts, maxAttempts, isForced, createdAt }
  })
}

function pick(tables: DeliveryTables, request: TakeDueRequest, now: Date): MemoryDelivery[] {
  const { kind, limit, perRecipient, shares = {}, after, only, maxAttempts } = request
  const own = tables.deliveries.all().filter((each) => each.kind === kind && each.state === 'due')
  const isDue = (each: MemoryDelivery) =>
    each.dueAt <= now &&
    isFree(each, now) &&
    each.attempts < (each.maxAttempts ?? maxAttempts) &&
    (each.expiresAt === undefined || each.expiresAt > now)
  const isWanted = (recipient: string) => only === undefined || only.includes(recipient)
  const due = own.filter((each) => isDue(each) && isWanted(each.recipient)).sort(byDue)
  const forced = due.filter(({ isForced }) => isForced)
  const queue = (recipient: string) =>
    due.filter((each) => !each.isForced && each.recipient === recipient && isInTurn(each, own, now))
  const waiting = due.filter(({ isForced }) => !isForced).map(({ recipient }) => recipient)
  const recipients = [...new Set(waiting)].sort(byBytes)
  const stateOf = (recipient: string) => tables.recipients.get(keyOf(kind, recipient)) ?? NEW_RECIPIENT
  const probed = recipients.filter((recipient) => mayProbe(stateOf(recipient), now)).slice(0, limit)
  for (const recipient of probed) {
    const probeUntil = later(now, PROBE_SECONDS)
    const state = { ...stateOf(recipient), kind, recipient, breaker: 'half_open' as const, probeUntil }
    tables.recipients.put(keyOf(kind, recipient), state)
  }
  const isAhead = (recipient: string) => after === undefined || byBytes(recipient, after) > 0
  const around = [...recipients.filter(isAhead), ...recipients.filter((each) => !isAhead(each))]
  const open = around.filter(
    (each) => stateOf(each).breaker === 'closed' && stateOf(each).paused === undefined,
  )
  const shared = open.flatMap((each) => queue(each).slice(0, shares[each] ?? perRecipient))
  return [...forced, ...probed.flatMap((each) => queue(each).slice(0, 1)), ...shared]
}

function mayProbe({ breaker, openUntil, probeUntil, paused }: typeof NEW_RECIPIENT, now: Date): boolean {
  const until = probeUntil ?? openUntil
  return breaker !== 'closed' && paused === undefined && until !== undefined && until <= now
}

function isInTurn(delivery: MemoryDelivery, own: readonly MemoryDelivery[], now: Date): boolean {
  const { sequence, recipient } = delivery
  if (sequence === undefined) return true
  return !own.some(
    (each) =>
      each.recipient === recipient &&
      each.sequence === sequence &&
      byAge(each, delivery) < 0 &&
      (each.attempts === 0 || (each.leaseUntil !== undefined && each.leaseUntil > now)),
  )
}
