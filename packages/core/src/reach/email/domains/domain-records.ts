import { hostOf } from './domain-name.ts'
import type { DkimKey, EmailDomain, RecordFinding, RecordKey } from './email-domain.ts'

/** The servers that send, as the settings name them. */
export interface SpfSource {
  /** The name that SPF records include. */
  readonly include: string | undefined
  /** Addresses and networks that send. */
  readonly ips: readonly string[]
}

/** The policy of all domains. */
export interface RecordPolicy extends SpfSource {
  readonly requireDmarc: boolean
}

/** A record that the owner of a domain publishes, with the finding of the last check. */
export interface DomainRecord extends RecordFinding {
  readonly key: RecordKey
  readonly record: 'DKIM' | 'SPF' | 'DMARC'
  /** The whole name of the record. */
  readonly name: string
  /** The name as DNS panels ask for it. */
  readonly host: string
  readonly value: string
  readonly required: boolean
}

/** The name of a DKIM record. */
export const dkimName = (selector: string, domain: string): string => `${selector}._domainkey.${domain}`

/** The value of a DKIM record. */
export const dkimValue = ({ publicKey }: Pick<DkimKey, 'publicKey'>): string =>
  `v=DKIM1; k=rsa; p=${publicKey}`

const ipTerm = (ip: string): string => (ip.includes(':') ? `ip6:${ip}` : `ip4:${ip}`)

/** The value of an SPF record. */
export const spfValue = ({ include, ips }: SpfSource): string =>
  ['v=spf1', ...(include === undefined ? ips.map(ipTerm) : [`include:${include}`]), '~all'].join(' ')

/** The DMARC record for a domain that inherits none. */
export const DMARC_VALUE = 'v=DMARC1; p=none'

/** The records of a domain in display order. */
export function recordsOf(domain: EmailDomain, policy: RecordPolicy): readonly DomainRecord[] {
  const { name, key, next, findings } = domain
  const one = (
    of: RecordKey,
    record: DomainRecord['record'],
    at: string,
    value: string,
    required = true,
  ) => ({
    key: of,
    record,
    name: at,
    host: hostOf(at, name),
    value,
    required,
    ...(findings[of] ?? { status: 'pending' as const }),
  })
  return [
    one('dkim', 'DKIM', dkimName(key.selector, name), dkimValue(key)),
    ...(next ? [one('next', 'DKIM', dkimName(next.selector, name), dkimValue(next), false)] : []),
    one('spf', 'SPF', name, spfValue(policy)),
    one('dmarc', 'DMARC', `_dmarc.${name}`, DMARC_VALUE, policy.requireDmarc),
  ]
}
