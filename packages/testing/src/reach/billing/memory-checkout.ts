import type { Checkout, CheckoutChange } from '@svc/core/ports'
import type { MemoryTable } from '../../memory-table.ts'

const isLive = ({ state }: Checkout): boolean => state === 'creating' || state === 'open'

/** Adds a checkout, unless its license has a live one. */
export function reserved(
  table: MemoryTable<Checkout>,
  checkout: Omit<Checkout, 'sessionId' | 'url' | 'state' | 'reservedAt'>,
  now: Date,
): boolean {
  // The statement looks for a live one first, and for its key only when it writes.
  if (liveOf(table, checkout.licenseId) !== undefined) return false
  if (table.get(checkout.id) !== undefined) throw new Error('there is a checkout with this id already')
  const fresh = { sessionId: undefined, url: undefined, state: 'creating', reservedAt: now } as const
  table.put(checkout.id, { ...checkout, ...fresh })
  return true
}

/** The live checkout of a license. */
export const liveOf = (table: MemoryTable<Checkout>, licenseId: string): Checkout | undefined =>
  table.all().find((each) => each.licenseId === licenseId && isLive(each))

/** Changes a checkout, if its state and its age allow it. */
export function moved(
  table: MemoryTable<Checkout>,
  id: string,
  { from, state, sessionId, url, idleSeconds }: CheckoutChange,
  now: Date,
): Checkout | undefined {
  const row = table.get(id)
  if (row === undefined || !from.includes(row.state)) return undefined
  if (idleSeconds !== undefined && +row.reservedAt > +now - idleSeconds * 1000) return undefined
  const isTaken =
    sessionId !== undefined && table.all().some((each) => each.id !== id && each.sessionId === sessionId)
  if (isTaken) throw new Error('there is a checkout with this session already')
  const next: Checkout = {
    ...row,
    state,
    sessionId: sessionId ?? row.sessionId,
    url: url ?? row.url,
    reservedAt: idleSeconds === undefined ? row.reservedAt : now,
  }
  const other = liveOf(table, row.licenseId)
  if (isLive(next) && other !== undefined && other.id !== id)
    throw new Error('the license has a live checkout already')
  table.put(id, next)
  return next
}
