import { Resolver as Questions } from 'node:dns/promises'
import type { Resolver } from './dns.ts'

const TRY_MS = 2_000
const TRIES = 2

/** Options of the system resolver. */
export interface SystemResolverOptions {
  /** `ip[:port]` of the servers to query. Default: the system's servers. */
  readonly servers?: readonly string[]
  /** Timeout of one try at one server, in milliseconds (2,000). */
  readonly tryMs?: number
}

/**
 * Returns a resolver that queries DNS servers for A and AAAA records. It avoids `getaddrinfo`, which holds
 * one of the process's four worker threads while a name server is silent, since strangers choose these names.
 * The hosts file and search domains do not count.
 */
export function systemResolver({ servers, tryMs = TRY_MS }: SystemResolverOptions = {}): Resolver {
  return {
    async resolve(host, signal) {
      signal?.throwIfAborted()
      // A new resolver for each call notices changed system servers, and its cancel() ends only its own
      // questions.
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
