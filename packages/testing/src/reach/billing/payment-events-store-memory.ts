import {
  type EventFilter,
  type EventLease,
  type EventSettlement,
  factsOf,
  factsText,
  type PaymentEvent,
  type PaymentEventState,
  type PaymentEventsStore,
  type StoredPaymentEvent,
} from '@svc/core/ports'
import type { MemoryTable } from '../../memory-table.ts'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { byBytes } from '../../text-order.ts'

/** An event with its lease. */
interface MemoryPaymentEvent extends StoredPaymentEvent {
  readonly leaseToken: string | undefined
  readonly leaseUntil: Date | undefined
}

const HOUR_MS = 3_600_000
const MAX_TROUBLES = 100
const after = (now: Date, seconds: number) => new Date(+now + seconds * 1000)
const newestFirst = (one: StoredPaymentEvent, other: StoredPaymentEvent) =>
  +other.receivedAt - +one.receivedAt || byBytes(one.id, other.id)
const isFree = ({ leaseUntil }: MemoryPaymentEvent, now: Date) =>
  leaseUntil === undefined || leaseUntil <= now

function seen(row: MemoryPaymentEvent | undefined): StoredPaymentEvent | undefined {
  if (row === undefined) return undefined
  const { leaseToken: _, leaseUntil: __, ...event } = row
  return event
}
const allSeen = (rows: readonly MemoryPaymentEvent[]) => rows.flatMap((row) => seen(row) ?? [])

/** Events of the payment provider in memory. */
export function memoryPaymentEventsStore(
  tables: MemoryTables,
  run: Run,
  time: () => Date,
): PaymentEventsStore {
  const events = tables.of<MemoryPaymentEvent>('paymentEvents')
  return {
    add: (
      event: PaymentEvent,
      { state, error, delaySeconds }: Parameters<PaymentEventsStore['add']>[1],
      now = time(),
    ) =>
      run(() => {
        if (events.get(event.id) !== undefined) return false
        events.put(event.id, {
          ...event,
          facts: factsOf(factsText(event.facts)),
          licenseId: undefined,
          state,
          error,
          attempts: 0,
          nextAttemptAt: state === 'received' ? after(now, delaySeconds) : undefined,
          receivedAt: now,
          leaseToken: undefined,
          leaseUntil: undefined,
        })
        return true
      }),
    get: (id: string) => run(() => seen(events.get(id))),
    list: ({ states, licenseId, limit }: EventFilter) =>
      run(() =>
        allSeen(events.all().sort(newestFirst))
          .filter((each) => states === undefined || states.includes(each.state))
          .filter((each) => licenseId === undefined || each.licenseId === licenseId)
          .slice(0, limit),
      ),
    claim: (id: string, states: readonly PaymentEventState[], lease: EventLease, now = time()) =>
      run(() => {
        const row = events.get(id)
        return row !== undefined && states.includes(row.state) ? taken(events, row, lease, now) : undefined
      }),
    claimDue: (lease: EventLease, now = time()) =>
      run(() => {
        const [first] = events
          .all()
          .filter(
            (each) => each.nextAttemptAt !== undefined && each.nextAttemptAt <= now && isFree(each, now),
          )
          .sort(
            (one, other) =>
              +(one.nextAttemptAt ?? 0) - +(other.nextAttemptAt ?? 0) || byBytes(one.id, other.id),
          )
        return first === undefined ? undefined : taken(events, first, lease, now)
      }),
    settle: ({ id, token, state, error, licenseId, delaySeconds }: EventSettlement, now = time()) =>
      run(() => {
        const row = events.get(id)
        if (row === undefined || row.leaseToken !== token) return false
        events.put(id, {
          ...row,
          state,
          error,
          licenseId: licenseId ?? row.licenseId,
          nextAttemptAt: delaySeconds === undefined ? undefined : after(now, delaySeconds),
          leaseToken: undefined,
          leaseUntil: undefined,
        })
        return true
      }),
    resolve: (id: string) =>
      run(() => {
        const row = events.get(id)
        if (row?.state === 'parked' || row?.state === 'failed')
          events.put(id, { ...row, state: 'ignored', nextAttemptAt: undefined })
        return seen(events.get(id))
      }),
    troubles: (hours: number, now = time()) =>
      run(() =>
        allSeen(events.all().sort(newestFirst))
          .filter((each) => isTrouble(each, +now - hours * HOUR_MS))
          .slice(0, MAX_TROUBLES),
      ),
    purge: (days: number, now = time()) =>
      run(() => {
        const oldest = +now - days * 24 * HOUR_MS
        const gone = events
          .all()
          .filter(
            ({ state, receivedAt }) => (state === 'applied' || state === 'ignored') && +receivedAt < oldest,
          )
        for (const { id } of gone) events.put(id, undefined)
        return gone.length
      }),
  }
}

function isTrouble({ state, nextAttemptAt, error, receivedAt }: StoredPaymentEvent, since: number): boolean {
  const isGivenUp = state === 'failed' && nextAttemptAt === undefined
  return state === 'parked' || isGivenUp || (error === 'livemode' && +receivedAt > since)
}

function taken(
  events: MemoryTable<MemoryPaymentEvent>,
  row: MemoryPaymentEvent,
  { token, seconds }: EventLease,
  now: Date,
): StoredPaymentEvent | undefined {
  if (!isFree(row, now)) return undefined
  const next = {
    ...row,
    attempts: row.attempts + 1,
    leaseToken: token,
    leaseUntil: after(now, seconds),
  }
  events.put(row.id, next)
  return seen(next)
}
