import { createHmac } from 'node:crypto'
import { parse } from 'tldts'
import { readDomainName } from '../../kernel/domain-name.ts'
import { isPrivateName } from '../../platform/net/private-name.ts'
import { sameSecret } from '../../platform/signing/same-secret.ts'

/** Label below which a domain carries the proof of its ownership. */
export const CHALLENGE_LABEL = '_svc-challenge'
/** Beginning of the record that proves ownership. */
export const CHALLENGE_PREFIX = 'svc-site-verification='
/** The path, before the challenge, where an address says that it serves a proven name. */
export const OWNERSHIP_PATH = '/.well-known/svc-ownership/'
/** Most domains of a license. */
export const TARGETS_PER_LICENSE = 100
/** Seconds after which a proof is looked up again without a scan. */
export const PROOF_SECONDS = 86_400
/** Seconds that the address of a heartbeat counts as the license's own. */
export const ADDRESS_SECONDS = 86_400
/** Most addresses that are kept of a license; a further one is not noted. */
export const ADDRESSES_PER_LICENSE = 1000

/** A domain that a license wants to have looked at from outside. */
export interface SurfaceTarget {
  readonly licenseId: string
  readonly domain: string
  /** Since when the ownership is proven without a break; undefined while it is not. */
  readonly verifiedAt: Date | undefined
  readonly checkedAt: Date | undefined
  /** Why the ownership is not proven; undefined while it is. */
  readonly reason: string | undefined
  readonly createdAt: Date
}

/** The record to publish: its type, its name and its value. */
export interface Challenge {
  readonly type: 'TXT'
  readonly name: string
  readonly value: string
}

/**
 * Reads the name of a domain to scan: in lower case, with A-labels. Undefined for an address, a single label,
 * a wildcard, a name of a private realm such as `printer.local`, and a suffix under which strangers register
 * names (`co.uk`, `github.io`).
 */
export function readTargetDomain(given: string): string | undefined {
  const name = readDomainName(given)
  if (name === undefined || isPrivateName(name)) return undefined
  return registrableOf(name) === undefined ? undefined : name
}

const registrableOf = (name: string): string | undefined =>
  parse(name, { allowPrivateDomains: true }).domain ?? undefined

/** Whether a name is the domain or below it. */
export const isWithinDomain = (name: string, domain: string): boolean =>
  name === domain || name.endsWith(`.${domain}`)

/** The domain and its parents up to the one that is registered, nearest first. */
export function provingDomains(domain: string): readonly string[] {
  const registrable = registrableOf(domain) ?? domain
  const names = [domain]
  for (let name = domain; name !== registrable; ) {
    name = name.slice(name.indexOf('.') + 1)
    names.push(name)
  }
  return names
}

/** The challenge of a license for a domain: 43 characters, the same at every call. */
export const challengeOf = (secret: string, licenseId: string, domain: string): string =>
  createHmac('sha256', secret).update(`${licenseId}|${domain}`).digest('base64url')

/** The record that proves the ownership of a domain to a license. */
export const challengeRecord = (secret: string, licenseId: string, domain: string): Challenge => ({
  type: 'TXT',
  name: `${CHALLENGE_LABEL}.${domain}`,
  value: `${CHALLENGE_PREFIX}${challengeOf(secret, licenseId, domain)}`,
})

/** Whether a published text is one of the expected values; each is compared in constant time. */
export const isExpected = (text: string, expected: readonly string[]): boolean =>
  expected.filter((value) => sameSecret(text.trim(), value)).length > 0
