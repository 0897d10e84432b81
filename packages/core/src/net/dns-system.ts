import { Resolver as Questions } from 'node:dns/promises'
import type { Resolver } from './dns.ts'

const TRY_MS = 2_000
const TRIES = 2

/** How names are asked for. */
export interface SystemResolverOptions {
  /** `ip[:port]` of the servers to ask; without them those of the system. */
  readonly servers?: readonly string[]
  /** How long one try waits for one server, in milliseconds (2,000). */
  readonly tryMs?: number
}

/**
 * Asks DNS servers for A and AAAA records. It does not use the system's `getaddrinfo`: that occupies one of
 * the process's four worker threads for as long as a name server keeps silent, and a stranger chose the name.
 * So the hosts file and search domains do not count.
 */
export function systemResolver({ servers, tryMs = TRY_MS }: SystemResolverOptions = {}): Resolver {
  return {
    async resolve(host, signal) {
      signal?.throwIfAborted()
      // A new one each time: it notices when the system's servers change, and cancel() ends these questions
      // alone.
      const questions = new Questions({ timeout: tryMs, tries: TRIES })
      if (servers) questions.setServers([...servers])
      const cancel = () => questions.cancel()
      signal?.addEventListener('abort', cancel, { once: true })
      try {
        const answers = await Promise.allSettled([questions.resolve4(host), questions.resolve6(host)])
        return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
      } finally {
        signal?.removeEventListener('abort', cancel)
      }
    },
  }
}
