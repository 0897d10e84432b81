import { RETRY_JITTER } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import { keyOf } from '../../watch/alerts/memory-alert.ts'
import type { Verdict } from '../verdict.ts'

const MINUTE_MS = 60_000
/** The wait of a refused delivery before its next attempt, by the number of attempts, without its jitter. */
const WAITS_MS = [1, 2, 5, 15, 30, 60, 120, 240, 480, 600, 600].map((minutes) => minutes * MINUTE_MS)
/** The longest cooldown of a breaker, with its spread. */
const COOLDOWN_MS = 1.2 * 60 * MINUTE_MS
const GONE = 410
/** Two ticks, with the time that they take. */
const IDLE_MS = 65_000

/** Checks at the end of a run with alerts that every delivery was sent, was given up, or is retried soon. */
export function checkDeliveries(tables: MemoryTables, now: Date, verdict: Verdict): void {
  for (const each of tables.deliveries.all()) {
    const { id, kind, recipient, state, attempts, status, error, dueAt, leaseUntil } = each
    if (kind === 'endpoint') continue
    const spell = () =>
      `delivery ${id} (${state}, ${attempts} attempts, ${status ?? error}) at ${now.toISOString()}`
    if (state === 'failed') {
      const isGivenUp = attempts > WAITS_MS.length || status === GONE
      verdict.expect(isGivenUp, 'a delivery is tried until it is given up', spell)
    }
    if (state !== 'due') continue
    const way = tables.recipients.get(keyOf(kind, recipient))
    const heldUntil = way?.breaker === 'closed' ? undefined : (way?.probeUntil ?? way?.openUntil)
    const free = Math.max(dueAt.getTime(), leaseUntil?.getTime() ?? 0, heldUntil?.getTime() ?? 0)
    const freeMs = free - now.getTime()
    const waitMs = (WAITS_MS[attempts - 1] ?? 0) * (1 + RETRY_JITTER)
    const mostMs = Math.max(MINUTE_MS, waitMs, heldUntil === undefined ? 0 : COOLDOWN_MS)
    verdict.expect(freeMs > -IDLE_MS && freeMs <= mostMs, 'no delivery stays due for ever', () => {
      return `${spell()} is free in ${freeMs} ms`
    })
  }
  for (const { alertId, transition, channel, createdAt, deliveryId } of tables.alerting.notices.all()) {
    // The announcement of an alert's end waits until the announcement of its opening has arrived.
    if (deliveryId !== undefined || transition === 'resolved') continue
    const isFresh = now.getTime() - createdAt.getTime() < IDLE_MS
    const detail = () => `${transition} of ${alertId} (${channel}) is in no delivery`
    verdict.expect(isFresh, 'what happens to an alert is announced', detail)
  }
}
