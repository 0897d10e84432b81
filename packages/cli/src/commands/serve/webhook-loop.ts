import { randomInt } from 'node:crypto'
import type { ControlPlane } from '@svc/core'

/** Between two looks at due messages; every replica looks, so each wait is spread. */
const LEAST_MS = 1600
const MOST_MS = 2400
/**
 * Looks that may overlap: each waits for its own attempts, and a receiver that hangs must not hold back
 * messages for others.
 */
const MOST_AT_ONCE = 16
/** How long attempts under way may go on when the service ends. */
const PATIENCE_MS = 10_000

/**
 * Sends messages to endpoints as they come due, until disposed. Disposing takes up nothing more, and lets
 * attempts under way end; a message whose attempt does not end is sent again after the next start.
 */
export function webhookLoop({ webhookDeliveries, log }: ControlPlane): AsyncDisposable {
  const [until, over] = [new AbortController(), new AbortController()]
  const running = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    if (running.size < MOST_AT_ONCE) {
      const bounds = { signal: over.signal, until: until.signal }
      const work: Promise<void> = webhookDeliveries
        .pulse(bounds)
        .catch((err: unknown) => log.error({ err }, 'messages could not be sent; trying again'))
        .finally(() => running.delete(work))
      running.add(work)
    }
    again()
  }
  const again = () => {
    timer = setTimeout(look, randomInt(LEAST_MS, MOST_MS))
    timer.unref()
  }
  again()
  return {
    [Symbol.asyncDispose]: async () => {
      clearTimeout(timer)
      until.abort()
      const patience = setTimeout(() => over.abort(), PATIENCE_MS)
      await Promise.all(running)
      clearTimeout(patience)
    },
  }
}
