import { lookup } from 'node:dns/promises'
import type { Resolver } from './dns.ts'

/**
 * Asks as every other program of this machine does (`getaddrinfo`), so the hosts file, search domains and
 * `localhost` count. For hosts that the operator chose: a question holds one of the process's four worker
 * threads, and cannot be ended early. So those who ask for the same host meanwhile share its question, and a
 * silent name server costs one thread.
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
