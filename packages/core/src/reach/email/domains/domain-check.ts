import type { DnsClient } from '../../../platform/dns/dns-client.ts'
import { checkDkim, checkDmarc, checkSpf } from './check-records.ts'
import { domainLookup } from './domain-dns.ts'
import type { SpfSource } from './domain-records.ts'
import type { EmailDomain, Findings } from './email-domain.ts'

/** A whole check ends within this time: a query without an answer by then is a temporary failure. */
export const CHECK_MS = 40_000

/** Dependencies of a check beside the domain. */
export interface DomainCheckParts {
  readonly dns: DnsClient
  /** The resolvers, as `ip[:port]`. */
  readonly servers: readonly string[]
  readonly spf: SpfSource
  readonly signal: AbortSignal
}

/** Looks up every record of a domain, once. */
export async function checkDomain(
  { name, key, next }: EmailDomain,
  { dns, servers, spf, signal }: DomainCheckParts,
): Promise<Findings> {
  const lookup = domainLookup(dns, servers)
  const giveUp = () => lookup.cancel()
  signal.addEventListener('abort', giveUp, { once: true })
  if (signal.aborted) giveUp()
  try {
    const [dkim, following, sender, policy] = await Promise.all([
      checkDkim(lookup, name, key),
      next && checkDkim(lookup, name, next),
      checkSpf(lookup, name, spf),
      checkDmarc(lookup, name),
    ])
    return { dkim, ...(following && { next: following }), spf: sender, dmarc: policy }
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
