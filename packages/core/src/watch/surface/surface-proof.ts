import type { DnsClient } from '../../platform/dns/dns-client.ts'
import { domainLookup } from '../../reach/email/domains/domain-dns.ts'
import { CHALLENGE_LABEL, challengeRecord, isExpected, provingDomains } from './surface-target.ts'

/** Statement of a domain's records about its ownership; `undefined`: nobody answered. */
export interface Proof {
  readonly isProven: boolean | undefined
  readonly reason: string | undefined
}

/** Why a domain is not proven, in the words of answers. */
const REASONS = { absent: 'no TXT record', other: 'the TXT record has another value' } as const

/**
 * Looks the record of ownership up, at the domain or a parent of it up to the one that is registered. Nothing
 * is remembered: each call asks the servers.
 */
export async function lookUpProof(
  { licenseId, domain }: { readonly licenseId: string; readonly domain: string },
  {
    dns,
    dnsServers,
    secrets,
    signal,
  }: {
    dns: DnsClient
    dnsServers: readonly string[]
    secrets: readonly string[]
    signal?: AbortSignal | undefined
  },
): Promise<Proof> {
  const lookup = domainLookup(dns, dnsServers)
  const cancel = () => lookup.cancel()
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    let isOther = false
    let error: string | undefined
    for (const name of provingDomains(domain)) {
      const expected = secrets.flatMap((secret) =>
        [domain, name].map((each) => challengeRecord(secret, licenseId, each).value),
      )
      const found = await lookup.find(`${CHALLENGE_LABEL}.${name}`, 'TXT')
      if (found.status === 'unknown') error = found.error
      if (found.status !== 'records') continue
      if (found.records.some((text) => isExpected(text, expected)))
        return { isProven: true, reason: undefined }
      isOther = true
    }
    if (error !== undefined) return { isProven: undefined, reason: `DNS: ${error}` }
    return { isProven: false, reason: isOther ? REASONS.other : REASONS.absent }
  } finally {
    signal?.removeEventListener('abort', cancel)
  }
}
