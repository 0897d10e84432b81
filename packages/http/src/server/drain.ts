import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { Connections } from './connections.ts'

/** How a server stops. */
export interface DrainOptions {
  /** Told first: from then on the readiness probe says no. */
  readonly health?: { drain(): void } | undefined
  /** How long requests are still taken afterwards, for balancers that have to notice. */
  readonly delayMs: number
  /** How long answers may take after that, before their connections are cut. */
  readonly deadlineMs: number
  /** Ends all patience. */
  readonly now: AbortSignal
}

/** How a server stopped. */
export interface DrainReport {
  /** Answers that were not finished at the deadline. */
  readonly lost: number
}

/**
 * A client in the middle of a conversation sends its next request within this time, and hears that it was the
 * last.
 */
const IDLE_GRACE_MS = 400
/** How long idle connections wait for a quiet moment to be closed in. */
const QUIET_PATIENCE_MS = 2000
/** How long connections that the kernel has taken are still taken from it. */
const BACKLOG_MS = 50

/**
 * Stops a server without losing a request that it has taken: not ready, then no new connections, every answer
 * ends its connection, idle connections are closed, and at the deadline the rest is cut.
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

// Not the HTTP server's own close: that one cuts idle connections at once, also those whose next request is
// on its way.
function stopAccepting(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  NetServer.prototype.close.call(server, () => resolve())
  return promise
}

/** Whether `promise` settles before the time is over or patience ends. */
async function within(promise: Promise<unknown>, milliseconds: number, now: AbortSignal): Promise<boolean> {
  const late = Promise.withResolvers<false>()
  const giveUp = () => late.resolve(false)
  const timer = setTimeout(giveUp, now.aborted ? 0 : milliseconds)
  now.addEventListener('abort', giveUp)
  try {
    return await Promise.race([promise.then(() => true), late.promise])
  } finally {
    clearTimeout(timer)
    now.removeEventListener('abort', giveUp)
  }
}
