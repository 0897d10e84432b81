import {
  type CatalogEntry,
  type CreateNote,
  type CreateNoteOutcome,
  type Credential,
  ENDED_STATES,
  mayHaveServer,
  type OrderMove,
  type ProvisioningStore,
  type ReservationOutcome,
  type ReservationRequest,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { byBytes } from '../../text-order.ts'
import { memoryCredentials } from './credentials-memory.ts'
import { type MemoryOrder, moved, newOrder, provisioningTables, shown, tell } from './memory-order.ts'

const HOUR_MS = 3_600_000

/** Orders, reservations, catalogue and credentials in memory. */
export function memoryProvisioningStore(tables: MemoryTables, run: Run, time: () => Date): ProvisioningStore {
  const { orders, events, reservations } = provisioningTables(tables)
  const catalog = tables.of<CatalogEntry>('provisioningCatalog')
  const plane = tables.of<{ readonly id: string }>('provisioningPlane')
  const byId = () => orders.all().sort((one, other) => byBytes(one.id, other.id))
  const live = () => reservations.all().filter(({ releasedAt }) => releasedAt === undefined)
  return {
    ...memoryCredentials(tables, run, time),
    add: (order, now = time()) =>
      run(() => {
        const isTaken = orders.all().some((each) => each.providerName === order.providerName)
        if (orders.get(order.id) !== undefined || isTaken) throw new Error('there is such an order already')
        const row = newOrder(order, now)
        orders.put(row.id, row)
        return shown(row)
      }),
    get: (id) => run(() => optionally(orders.get(id))),
    list: ({ licenseId, limit }) =>
      run(() =>
        byId()
          .reverse()
          .filter((order) => licenseId === undefined || order.licenseId === licenseId)
          .slice(0, limit)
          .map(shown),
      ),
    live: () =>
      run(() =>
        byId()
          .filter(({ state }) => !ENDED_STATES.has(state))
          .map(shown),
      ),
    counts: () =>
      run(() => {
        const counts: Partial<Record<MemoryOrder['state'], number>> = {}
        for (const { state } of orders.all()) counts[state] = (counts[state] ?? 0) + 1
        return counts
      }),
    events: (id, limit) => run(() => (events.get(id) ?? []).slice(-limit)),
    older: ({ id, licenseId }) =>
      run(
        () =>
          byId().filter(
            (order) =>
              order.licenseId === licenseId &&
              byBytes(order.id, id) < 0 &&
              !ENDED_STATES.has(order.state) &&
              !(order.state === 'failed' && !mayHaveServer(order)),
          ).length,
      ),
    due: (limit, id, now = time()) =>
      run(() =>
        byId()
          .filter((order) => isFree(tables, order, now) && (id === undefined || order.id === id))
          .sort((one, other) => Number(one.nextRunAt) - Number(other.nextRunAt))
          .slice(0, limit)
          .map(shown),
      ),
    take: ({ id, state, token, leaseSeconds }, now = time()) =>
      run(() => {
        const order = orders.get(id)
        if (order === undefined || order.state !== state || !isFree(tables, order, now)) return undefined
        const leaseUntil = new Date(now.getTime() + leaseSeconds * 1000)
        const taken = { ...order, attempt: order.attempt + 1, claimToken: token, leaseUntil }
        orders.put(id, taken)
        return shown(taken)
      }),
    move: (move, now = time()) => run(() => optionally(movedBy(tables, move, now))),
    hurry: (id, now = time()) =>
      run(() => {
        const order = orders.get(id)
        if (order?.nextRunAt === undefined) return undefined
        const hurried = { ...order, nextRunAt: now, updatedAt: now }
        orders.put(id, hurried)
        return shown(hurried)
      }),
    reserve: (request) => run(() => reserved(tables, request)),
    reserved: () =>
      run(() => {
        const currencies = [...new Set(live().map(({ currency }) => currency))].sort(byBytes)
        return currencies.map((currency) => {
          const own = live().filter((each) => each.currency === currency)
          const minor = own.reduce((sum, { amountMinor }) => sum + amountMinor, 0)
          return { currency, minor, orders: own.length }
        })
      }),
    reservedOrders: () =>
      run(() =>
        live()
          .map(({ orderId }) => orderId)
          .sort(byBytes),
      ),
    noteCreate: (note, now = time()) => run(() => noted(tables, note, now)),
    planeId: (candidate) =>
      run(() => {
        if (plane.get('1') === undefined) plane.put('1', { id: candidate })
        return plane.get('1')?.id ?? candidate
      }),
    catalog: () =>
      run(() =>
        catalog
          .all()
          .sort((one, other) => byBytes(one.plan, other.plan) || byBytes(one.provider, other.provider)),
      ),
    setCatalog: (entry) => run(() => catalog.put(`${entry.provider} ${entry.plan}`, structuredClone(entry))),
    removeCatalog: (plan, provider) =>
      run(() => {
        const had = catalog.get(`${provider} ${plan}`) !== undefined
        catalog.put(`${provider} ${plan}`, undefined)
        return had
      }),
  }
}

const optionally = (order: MemoryOrder | undefined) => (order === undefined ? undefined : shown(order))

function isFree(tables: MemoryTables, order: MemoryOrder, now: Date): boolean {
  const { rateResetAt } = tables.of<Credential>('providerCredentials').get(order.provider) ?? {}
  if (rateResetAt !== undefined && rateResetAt > now) return false
  if (order.leaseUntil !== undefined && order.leaseUntil > now) return false
  return order.nextRunAt !== undefined && order.nextRunAt <= now
}

function movedBy(tables: MemoryTables, move: OrderMove, now: Date): MemoryOrder | undefined {
  const { orders, events, reservations } = provisioningTables(tables)
  const { id, token, from, to, step, outcome, releases, httpStatus, correlationId, detail } = move
  const order = orders.get(id)
  if (order === undefined || order.state !== from) return undefined
  if (token !== undefined && order.claimToken !== token) return undefined
  const after = moved(order, move, now)
  const { provider, serverId } = after
  const isTheirs = (each: MemoryOrder) =>
    each.id !== id && each.provider === provider && each.serverId === serverId
  if (serverId !== undefined && orders.all().some(isTheirs))
    throw new Error('there is an order with this server already')
  orders.put(id, after)
  tell(events, id, { at: now, from, to, step, outcome, httpStatus, correlationId, detail })
  const reservation = reservations.get(id)
  if (releases && reservation !== undefined && reservation.releasedAt === undefined)
    reservations.put(id, { ...reservation, releasedAt: now })
  return after
}

function reserved(tables: MemoryTables, request: ReservationRequest): ReservationOutcome {
  const { orders, reservations } = provisioningTables(tables)
  const { orderId, token, amountMinor, currency, ceilingMinor } = request
  const order = orders.get(orderId)
  if (order?.state !== 'reserving' || order.claimToken !== token) return 'lost'
  const live = reservations.all().filter(({ releasedAt }) => releasedAt === undefined)
  if (live.some((each) => each.orderId === orderId)) return 'granted'
  if (live.some((each) => each.currency !== currency)) return 'currency'
  const sum = live.reduce((total, each) => total + each.amountMinor, 0)
  if (sum + amountMinor > ceilingMinor) return 'ceiling'
  if (reservations.get(orderId) !== undefined) return 'lost'
  reservations.put(orderId, { orderId, amountMinor, currency, releasedAt: undefined })
  return 'granted'
}

function noted(tables: MemoryTables, note: CreateNote, now: Date): CreateNoteOutcome {
  const { orders, events, reservations } = provisioningTables(tables)
  const order = orders.get(note.id)
  const reservation = reservations.get(note.id)
  if (order?.state !== 'creating' || order.claimToken !== note.token) return 'lost'
  if (reservation === undefined || reservation.releasedAt !== undefined) return 'lost'
  if (order.creates >= note.mostCreates) return 'order-full'
  const isRecent = (at: Date) => at.getTime() > now.getTime() - HOUR_MS
  const sent = events
    .all()
    .flatMap((list) => list.filter(({ outcome, at }) => outcome === 'sent' && isRecent(at)))
  if (sent.length >= note.mostPerHour) return 'hour-full'
  const leaseUntil = new Date(now.getTime() + note.leaseSeconds * 1000)
  const { userDataSha256 } = note
  const creates = order.creates + 1
  orders.put(note.id, { ...order, creates, createSentAt: now, userDataSha256, leaseUntil, updatedAt: now })
  const none = { httpStatus: undefined, correlationId: undefined, detail: undefined }
  const step = { from: 'creating', to: 'creating', step: 'create_server', outcome: 'sent' } as const
  tell(events, note.id, { at: now, ...step, ...none })
  return 'sent'
}
