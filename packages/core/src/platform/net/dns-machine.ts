import { lookup } from 'node:dns/promises'
import type { Resolver } from './dns.ts'

/**
 * Returns a resolver that uses `getaddrinfo` like other programs of this machine, so that the hosts file,
 * search domains and `localhost` count. It is for hosts that the operator chose: a lookup holds one of the
 * process's four worker threads and cannot be cancelled. Concurrent lookups of the same host share one, so
 * that a silent name server holds only one thread.
 */
export function machineResolver(): Resolver {
  const asked = new Map<string, Promise<readonly string[]>>()
  const ask = async (host: string) => {
    try {
      const found = await lookup(host, { all: true })
      return found.map(({ address }) => address)
    } finally {
      asked.delete(host)
    }
  }
  return {
    resolve(host) {
      const question = asked.get(host) ?? ask(host)
      asked.set(host, question)
      return question
    },
  }
}
