import type { Server } from 'node:http'
import type { Log } from '@svc/core'

/** Between two lines about one kind of trouble: a crowd at the door does not fill the log. */
const TELL_EVERY_MS = 10_000

/**
 * Tells the log of connections that were not taken: beyond the limit, or because the system refuses them. The
 * first is told at once, then at most every 10 s, with the number since.
 */
export function tellRefused(server: Server, log: Log): void {
  const surplus = throttledLog((count) =>
    log.warn(
      { count },
      'too many connections, further ones are closed: SERVICE_MAX_CONNECTIONS, or the limit of open files',
    ),
  )
  const failed = throttledLog((count, code) => log.error({ code, count }, 'cannot accept connections'))
  server.on('drop', () => surplus())
  server.on('error', ({ code }: NodeJS.ErrnoException) => failed(code))
}

type Tell = (count: number, code?: string) => void

function throttledLog(tell: Tell): (code?: string) => void {
  let [count, toldAt] = [0, Number.NEGATIVE_INFINITY]
  return (code) => {
    count += 1
    const now = performance.now()
    if (now - toldAt < TELL_EVERY_MS) return
    tell(count, code)
    count = 0
    toldAt = now
  }
}
