import type { DomainLookup } from './domain-dns.ts'

/** Returns the tags of a DKIM or DMARC record, `name=value;`; the first of a name counts. */
export function tagsOf(text: string): ReadonlyMap<string, string> {
  const tags = new Map<string, string>()
  for (const part of text.split(';')) {
    const at = part.indexOf('=')
    const name = part.slice(0, at).trim().toLowerCase()
    if (at > 0 && name !== '' && !tags.has(name)) tags.set(name, part.slice(at + 1).trim())
  }
  return tags
}

/** Whether a record begins with a tag of this value. */
export function isTagged(text: string, name: string, value: string): boolean {
  const [first = ''] = text.split(';')
  return tagsOf(first).get(name) === value
}

/** The DMARC policy that receivers apply to mail from a domain. */
export type DmarcPolicy =
  | { readonly status: 'policy'; readonly policy: string; readonly from: string }
  | { readonly status: 'none' }
  | { readonly status: 'several'; readonly records: readonly string[] }
  | { readonly status: 'invalid'; readonly record: string }
  | { readonly status: 'unknown'; readonly error: string }

const POLICIES = new Set(['none', 'quarantine', 'reject'])
/** A longer name is cut to this many labels after its first question (RFC 9989, section 4.10). */
const WALK_LABELS = 7

interface Found {
  readonly domain: string
  readonly tags: ReadonlyMap<string, string>
}

/** Finds the policy as receivers do: at the domain itself, then by walking up the tree (RFC 9989). */
export async function dmarcPolicy(lookup: DomainLookup, domain: string): Promise<DmarcPolicy> {
  const found: Found[] = []
  for (const name of namesAbove(domain)) {
    const looked = await lookup.find(`_dmarc.${name}`, 'TXT')
    if (looked.status === 'unknown') return looked
    const texts = looked.status === 'records' ? looked.records : []
    const records = texts.filter((text) => isTagged(text, 'v', 'DMARC1'))
    if (name === domain && records.length > 1) return { status: 'several', records }
    const [record] = records
    if (record === undefined || records.length > 1) continue
    const tags = tagsOf(record)
    if (name === domain) {
      const policy = policyOf(tags, 'p')
      return policy === undefined ? { status: 'invalid', record } : { status: 'policy', policy, from: domain }
    }
    found.push({ domain: name, tags })
    if (tags.get('psd') === 'y' || tags.get('psd') === 'n') break
  }
  // The record with the fewest labels is the organization's; one of a public suffix counts if it has none.
  const above = found.toReversed().find(({ tags }) => policyOf(tags, 'sp') !== undefined)
  const policy = above && policyOf(above.tags, 'sp')
  return above && policy ? { status: 'policy', policy, from: above.domain } : { status: 'none' }
}

function* namesAbove(domain: string): Generator<string> {
  let labels = domain.split('.')
  while (labels.length > 0) {
    yield labels.join('.')
    labels = labels.length > WALK_LABELS ? labels.slice(-WALK_LABELS) : labels.slice(1)
  }
}

function policyOf(tags: ReadonlyMap<string, string>, tag: 'p' | 'sp'): string | undefined {
  const word = (tags.get(tag) ?? tags.get('p') ?? '').toLowerCase()
  if (POLICIES.has(word)) return word
  // A record that asks for reports without a policy is one that only watches.
  return tags.get('rua')?.includes(':') ? 'none' : undefined
}
