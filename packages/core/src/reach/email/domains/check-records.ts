import { cut } from '../../../kernel/cut.ts'
import { isKeyLike, keyFault } from './dkim-record.ts'
import { dmarcPolicy } from './dmarc.ts'
import type { DomainLookup, Looked } from './domain-dns.ts'
import { registrable } from './domain-name.ts'
import { dkimName, type SpfSource } from './domain-records.ts'
import type { DkimKey, RecordFinding } from './email-domain.ts'
import { evaluateSpf } from './spf.ts'
import { spfRecordsAmong } from './spf-record.ts'

const MAX_FOUND = 3
const MAX_CHARS = 256
/** TEST-NET-1: no server of anybody. A record that lets it send lets everybody send. */
const CONTROL_ADDRESS = '192.0.2.1'

/** For records that let the relay send without its name, such as those with macros or flattened ones. */
const WAY_OUT = 'if it lets the relay send in another way, set EMAIL_SPF_IPS to the addresses of the relay'

const shown = (values: readonly string[]): readonly string[] =>
  values.slice(0, MAX_FOUND).map((value) => cut(value, MAX_CHARS))

const unanswered = ({ error }: { readonly error: string }): RecordFinding => ({
  status: 'temporary_failure',
  detail: `the name server did not answer (${error})`,
})

const textsOf = (looked: Exclude<Looked, { status: 'unknown' }>): readonly string[] =>
  looked.status === 'records' ? looked.records : []

/** DNS panels append their zone to typed names, so that a whole name ends up below itself. */
async function missing(lookup: DomainLookup, name: string, zone: string, detail: string) {
  const doubled = `${name}.${zone}`
  const found = await lookup.find(doubled, 'TXT')
  const hint = `published at ${doubled}: your DNS host appends the zone, use the host column`
  return { status: 'missing', detail: found.status === 'records' ? hint : detail, found: [] } as const
}

/** Checks the record of a DKIM key: whether receivers accept our signatures with it. */
export async function checkDkim(
  lookup: DomainLookup,
  domain: string,
  key: Pick<DkimKey, 'selector' | 'publicKey'>,
): Promise<RecordFinding> {
  const name = dkimName(key.selector, domain)
  const looked = await lookup.find(name, 'TXT')
  if (looked.status === 'unknown') return unanswered(looked)
  const records = textsOf(looked).filter(isKeyLike)
  const [record] = records
  if (record === undefined) return missing(lookup, name, registrable(domain), 'no DKIM record')
  const found = shown(records)
  if (records.length > 1) return { status: 'conflict', detail: `${records.length} DKIM records`, found }
  const fault = keyFault(record, key.publicKey)
  return fault === undefined ? { status: 'verified' } : { ...fault, found }
}

/** Checks that the SPF record lets the relay send, and not everybody. */
export async function checkSpf(
  lookup: DomainLookup,
  domain: string,
  { include, ips }: SpfSource,
): Promise<RecordFinding> {
  const looked = await lookup.find(domain, 'TXT')
  if (looked.status === 'unknown') return unanswered(looked)
  const records = spfRecordsAmong(textsOf(looked))
  if (records.length === 0) return missing(lookup, domain, registrable(domain), 'no v=spf1 record')
  const found = shown(records)
  if (records.length > 1) return { status: 'conflict', detail: `${records.length} SPF records`, found }
  const control = await evaluateSpf(lookup, CONTROL_ADDRESS, domain, include)
  const { lookups } = control
  const failed = (status: RecordFinding['status'], detail: string): RecordFinding => ({
    status,
    detail,
    found,
    lookups,
  })
  const verdicts = ips.length > 0 ? ips.map((ip) => evaluateSpf(lookup, ip, domain)) : [control]
  // An error counts where the relay's mail meets it: the terms behind it are not evaluated for it.
  if (control.result === 'pass') return failed('insecure', 'it lets every server send for this domain')
  for (const [at, { result, reason = '', isIncluded }] of (await Promise.all(verdicts)).entries()) {
    if (ips.length === 0 && isIncluded) continue
    if (result === 'temperror') return failed('temporary_failure', reason)
    if (result === 'permerror') return failed('invalid', reason)
    if (ips.length === 0) return failed('mismatch', `it does not include ${include} (${WAY_OUT})`)
    if (result !== 'pass') return failed('mismatch', `${ips[at]} may not send for this domain (${result})`)
  }
  return { status: 'verified', lookups }
}

/** Checks that a DMARC policy applies, of the domain itself or of one above it. */
export async function checkDmarc(lookup: DomainLookup, domain: string): Promise<RecordFinding> {
  const policy = await dmarcPolicy(lookup, domain)
  switch (policy.status) {
    case 'unknown':
      return unanswered(policy)
    case 'several':
      return {
        status: 'conflict',
        detail: `${policy.records.length} DMARC records, which void each other`,
        found: shown(policy.records),
      }
    case 'invalid':
      return { status: 'invalid', detail: 'it states no policy', found: shown([policy.record]) }
    case 'none':
      return missing(lookup, `_dmarc.${domain}`, registrable(domain), 'no DMARC record')
    case 'policy': {
      const { policy: word, from } = policy
      if (from === domain) return { status: 'verified', policy: word, inherited: false }
      const detail = `inherited from ${from} (p=${word})`
      return { status: 'verified', detail, policy: word, inherited: true, from }
    }
  }
}
