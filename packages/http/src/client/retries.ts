import { ClientError } from './client-error.ts'

/** Longest `Retry-After` that is waited for, in seconds; a longer one is the caller's to wait for. */
export const MAX_RETRY_AFTER_SECONDS = 30
const FIRST_MS = 250
const MOST_MS = 4000

/**
 * Returns how long to wait before a call is made again, in ms; undefined if it may not be. A read is made
 * again after a broken connection, and after 429 or 503 with `Retry-After`. A change is made again after 429
 * alone, with which nothing was done: after 503 or a broken connection it may have been.
 */
export function waitBefore(error: unknown, isRead: boolean, tried: number): number | undefined {
  if (!(error instanceof ClientError)) return undefined
  const { status, retryAfterSeconds: asked } = error
  // Clients that were refused together come back apart.
  const backOff = Math.min(FIRST_MS * 2 ** tried, MOST_MS) * (0.5 + Math.random() / 2)
  if (error.code === 'no-answer') return isRead ? backOff : undefined
  if (status !== 429 && !(status === 503 && isRead)) return undefined
  if (asked === undefined || asked > MAX_RETRY_AFTER_SECONDS) return undefined
  return asked * 1000 + backOff
}

/** Waits, and rejects with the reason of the signal as soon as it is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
