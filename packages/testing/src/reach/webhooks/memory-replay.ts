import type { ReplayWrite } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import { byAge } from '../../platform/deliveries/memory-claim.ts'
import type { MemoryDelivery } from '../../platform/deliveries/memory-delivery.ts'
import { byBytes } from '../../text-order.ts'
import type { MemoryMessage } from './memory-webhook.ts'

const isPast = ({ state }: MemoryDelivery) => state === 'due' || state === 'sent'

/** Returns the messages that a replay means, by their ids, the oldest first. */
export function meant(tables: MemoryTables, write: ReplayWrite): (readonly [string, MemoryDelivery])[] {
  const { endpointId, deliveryId, since, until, states } = write
  const messages = tables.of<MemoryMessage>('webhookMessages')
  const sent = tables.deliveries
    .all()
    .filter(({ kind, recipient }) => kind === 'endpoint' && recipient === endpointId)
  const all = sent.filter(({ payload, isForced }) => payload !== undefined && !isForced)
  const settled = new Set(sent.flatMap((each) => (isPast(each) ? [each.payload] : [])))
  const isMeant = (each: MemoryDelivery) =>
    deliveryId === undefined
      ? since !== undefined &&
        each.createdAt >= since &&
        (until === undefined || each.createdAt < until) &&
        states.includes(each.state) &&
        !settled.has(each.payload)
      : each.id === deliveryId
  const found = all.filter((each) => isMeant(each) && messages.get(each.payload ?? '') !== undefined)
  found.sort(byAge)
  const first = new Map(found.toReversed().map((each) => [each.payload ?? '', each]))
  return [...first].sort(
    ([one, { createdAt }], [other, { createdAt: after }]) =>
      createdAt.getTime() - after.getTime() || byBytes(one, other),
  )
}
