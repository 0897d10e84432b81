import type { AlertTables } from '../../alerts/alert-tables.ts'
import type { Verdict } from '../verdict.ts'

const MINUTE_MS = 60_000
/** The longest wait of a refused delivery before its next attempt, by the number of attempts. */
const WAITS_MS = [1, 2, 5, 15, 30, 60, 120, 240, 480, 600, 600].map((minutes) => minutes * MINUTE_MS)
const GONE = 410
/** Two ticks, with the time that they take. */
const IDLE_MS = 65_000

/** Checks at the end of a run with alerts that every delivery was sent, was given up, or is retried soon. */
export function checkDeliveries(tables: AlertTables, now: Date, verdict: Verdict): void {
  for (const each of tables.deliveries.all()) {
    const { id, state, attempts, status, error, dueAt, leaseUntil } = each
    const spell = () =>
      `delivery ${id} (${state}, ${attempts} attempts, ${status ?? error}) at ${now.toISOString()}`
    if (state === 'failed') {
      const isGivenUp = attempts > WAITS_MS.length || status === GONE
      verdict.expect(isGivenUp, 'a delivery is tried until it is given up', spell)
    }
    if (state !== 'due') continue
    const freeMs = Math.max(dueAt.getTime(), leaseUntil?.getTime() ?? 0) - now.getTime()
    const mostMs = Math.max(MINUTE_MS, WAITS_MS[attempts - 1] ?? 0)
    verdict.expect(freeMs > -IDLE_MS && freeMs <= mostMs, 'no delivery stays due for ever', () => {
      return `${spell()} is free in ${freeMs} ms`
    })
  }
  for (const { alertId, transition, channel, createdAt, deliveryId } of tables.notices.all()) {
    // The announcement of an alert's end waits until that of its opening has arrived.
    if (deliveryId !== undefined || transition === 'resolved') continue
    const isFresh = now.getTime() - createdAt.getTime() < IDLE_MS
    const detail = () => `${transition} of ${alertId} (${channel}) is in no delivery`
    verdict.expect(isFresh, 'what happens to an alert is announced', detail)
  }
}
