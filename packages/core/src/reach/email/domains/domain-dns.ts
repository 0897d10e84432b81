import type { RecordType } from '../../../platform/dns/dns-answer.ts'
import type { DnsClient } from '../../../platform/dns/dns-client.ts'

/** Records of a name; `absent`: there are none, for certain; `unknown`: nobody answered. */
export type Looked =
  | { readonly status: 'records'; readonly records: readonly string[] }
  | { readonly status: 'absent' }
  | { readonly status: 'unknown'; readonly error: string }

/** Looks up records during one check; a name that is asked for again is not asked for twice. */
export interface DomainLookup {
  find(name: string, type: RecordType): Promise<Looked>
  /** Ends every open question: it becomes `unknown`. */
  cancel(): void
}

/**
 * Returns a lookup that asks the first server, and each further one if those before it fail. The servers are
 * resolvers, which follow aliases and delegations.
 */
export function domainLookup(dns: DnsClient, servers: readonly string[]): DomainLookup {
  const batch = dns.batch()
  const asked = new Map<string, Promise<Looked>>()
  let isCancelled = false
  const ask = async (name: string, type: RecordType): Promise<Looked> => {
    let error = 'unreachable'
    for (const server of servers) {
      if (isCancelled) return { status: 'unknown', error: 'timeout' }
      const reply = await batch.ask({ server, host: name, type })
      if (reply.status === 'records') return reply
      if (reply.status !== 'error') return { status: 'absent' }
      error = reply.error
    }
    return { status: 'unknown', error }
  }
  return {
    find(name, type) {
      const key = `${type} ${name.toLowerCase()}`
      const answer = asked.get(key) ?? ask(name.toLowerCase(), type)
      asked.set(key, answer)
      return answer
    },
    cancel() {
      isCancelled = true
      batch.cancel()
    },
  }
}
