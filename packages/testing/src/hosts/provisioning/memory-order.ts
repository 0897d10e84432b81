import type { NewOrder, Order, OrderEvent, OrderMove } from '@svc/core/ports'
import { ORDER_EVENTS } from '@svc/core/ports'
import type { MemoryTable } from '../../memory-table.ts'
import type { MemoryTables } from '../../memory-tables.ts'

/** An order with its claim. */
export type MemoryOrder = Order & {
  readonly claimToken: string | undefined
  readonly leaseUntil: Date | undefined
}

/** Money that is reserved for an order. */
export interface MemoryReservation {
  readonly orderId: string
  readonly amountMinor: number
  readonly currency: string
  readonly releasedAt: Date | undefined
}

/** The tables of provisioning. */
export const provisioningTables = (tables: MemoryTables) => ({
  orders: tables.of<MemoryOrder>('provisioningOrders'),
  events: tables.of<readonly OrderEvent[]>('provisioningEvents'),
  reservations: tables.of<MemoryReservation>('provisioningReservations'),
})

/** Returns an order as it is stored first. */
export const newOrder = ({ locations, ...order }: NewOrder, now: Date): MemoryOrder => ({
  ...order,
  locations: [...locations],
  sshKeys: [...order.sshKeys],
  location: locations[0] ?? '',
  state: 'requested',
  stateSince: now,
  attempt: 0,
  creates: 0,
  nextRunAt: now,
  createSentAt: undefined,
  serverId: undefined,
  actionId: undefined,
  ipv4: undefined,
  ipv6: undefined,
  userDataSha256: undefined,
  monthlyMinor: undefined,
  currency: undefined,
  errorCode: undefined,
  errorDetail: undefined,
  errorSince: undefined,
  createdAt: now,
  updatedAt: now,
  claimToken: undefined,
  leaseUntil: undefined,
})

/** Returns an order without its claim. */
export const shown = ({ claimToken: _, leaseUntil: __, ...order }: MemoryOrder): Order => order

/** Returns an order after a move. */
export function moved(order: MemoryOrder, { to, change, delaySeconds }: OrderMove, now: Date): MemoryOrder {
  const { creates, errorCode, ...fields } = change
  const set = Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, value === null ? undefined : value]),
  ) as Partial<Order>
  const isSame = to === order.state
  return {
    ...order,
    ...set,
    ...(errorCode === undefined ? {} : errorOf(order, errorCode, now)),
    state: to,
    stateSince: isSame ? order.stateSince : now,
    attempt: isSame ? order.attempt : 0,
    creates: creates === undefined ? order.creates : Math.max(order.creates - 1, 0),
    nextRunAt: delaySeconds === undefined ? undefined : new Date(now.getTime() + delaySeconds * 1000),
    updatedAt: now,
    claimToken: undefined,
    leaseUntil: undefined,
  }
}

const errorOf = (order: Order, code: string | null, now: Date) => ({
  errorCode: code ?? undefined,
  errorSince: code === null ? undefined : code === order.errorCode ? order.errorSince : now,
})

/** Adds an entry to a history; the oldest entries make room. */
export function tell(events: MemoryTable<readonly OrderEvent[]>, id: string, event: OrderEvent): void {
  events.put(id, [...(events.get(id) ?? []), event].slice(-ORDER_EVENTS))
}
