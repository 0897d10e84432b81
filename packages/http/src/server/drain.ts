import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import { systemTimers } from '@svc/core'
import { race } from '@svc/core/adapters'
import type { Connections } from './connections.ts'

/** Options of draining a server. */
export interface DrainOptions {
  /** Notified first: from then on the readiness probe fails. */
  readonly health?: { drain(): void } | undefined
  /** How long requests are still accepted afterwards, so that load balancers notice. */
  readonly delayMs: number
  /** How long answers may take after that, before their connections are cut. */
  readonly deadlineMs: number
  /** Ends every wait at once when aborted. */
  readonly now: AbortSignal
}

/** The result of draining a server. */
export interface DrainReport {
  /** Answers that were not finished, and upgraded connections that were not closed, at the deadline. */
  readonly lost: number
}

/**
 * How long idle connections stay open: a client that is sending one request after another sends its next
 * within this time, and learns from the answer that it was the last.
 */
const IDLE_GRACE_MS = 400
/** How long closing idle connections waits for quiet turns of the event loop. */
const QUIET_PATIENCE_MS = 2000
/** How long the server still takes connections that the kernel has already accepted. */
const BACKLOG_MS = 50

/**
 * Stops a server without losing an accepted request: it reports itself not ready, tells upgraded connections,
 * refuses new ones, ends every connection with its answer, closes idle connections, and cuts the rest at the
 * deadline.
 */
export async function drainServer(
  server: Server,
  connections: Connections,
  { health, delayMs, deadlineMs, now }: DrainOptions,
): Promise<DrainReport> {
  health?.drain()
  connections.closeAfterAnswers()
  if (delayMs > 0) await within(NEVER, delayMs, now)
  await connections.takeWaiting(BACKLOG_MS)
  const closed = stopAccepting(server)
  if (!(await within(closed, IDLE_GRACE_MS, now))) {
    await connections.closeIdle(now.aborted ? 0 : QUIET_PATIENCE_MS)
  }
  const lost = (await within(closed, deadlineMs, now)) ? 0 : connections.cutAll()
  await closed
  // Ends the interval that watches for slow requests; the listening itself has ended above.
  server.close(() => {})
  return { lost }
}

const NEVER = new Promise<never>(() => {})

// Not the HTTP server's own `close`: it cuts idle connections at once, even if their next request is on its
// way.
function stopAccepting(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  NetServer.prototype.close.call(server, () => resolve())
  return promise
}

/** Whether `promise` settles before the time is over or `now` is aborted. */
async function within(promise: Promise<unknown>, milliseconds: number, now: AbortSignal): Promise<boolean> {
  return race(
    promise.then(() => true),
    async (over) => {
      await systemTimers.pause(milliseconds, AbortSignal.any([now, over]))
      return false
    },
  )
}
