import ipaddr from 'ipaddr.js'
import { type Address, type AddressRange, isWithin, readAddress, readRange } from './address-range.ts'

/**
 * Ranges that are refused even if `allow` covers them. Clouds serve a machine its own metadata, credentials
 * included, at these addresses, and nobody calls them on purpose.
 */
const NEVER = [
  '0.0.0.0/8',
  '::/128',
  // Link-local, with the metadata services of most clouds at 169.254.169.254 and 169.254.170.2.
  '169.254.0.0/16',
  'fe80::/10',
  // Azure's wire server, which has a public address; then Alibaba, Oracle, and Amazon and Google over IPv6.
  '168.63.129.16/32',
  '100.100.100.200/32',
  '192.0.0.192/32',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
]

/**
 * The range allocated for global unicast. All other IPv6 addresses are refused, even if their range has no
 * purpose yet.
 */
const GLOBAL_UNICAST = readRange('2000::/3')
const NAT64 = readRange('64:ff9b::/96')

function isPublic(address: Address): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isWithin(address, GLOBAL_UNICAST))
}

/**
 * Returns the IPv4 address that a NAT64 gateway would call for this address (RFC 6052, well-known prefix).
 */
function behindNat64(address: Address): Address | undefined {
  if (!isWithin(address, NAT64)) return undefined
  return new ipaddr.IPv4(address.toByteArray().slice(12))
}

/** Ranges of the address rules, as CIDR or single addresses. A malformed one throws a `TypeError` at once. */
export interface AddressRanges {
  /** Accepted even if not public: loopback in tests, the networks of a private installation. */
  readonly allow?: readonly string[] | undefined
  /** Refused even if public; takes precedence over `allow`. */
  readonly refuse?: readonly string[] | undefined
  /**
   * Returns the machine's own addresses; called for each check. They are refused unless `allow` covers them.
   */
  readonly own?: (() => readonly string[]) | undefined
}

/** Rules for addresses that somebody else chose. */
export class AddressRules {
  readonly #allow: readonly AddressRange[]
  readonly #barred: readonly AddressRange[]
  readonly #own: () => readonly string[]

  constructor({ allow = [], refuse = [], own = () => [] }: AddressRanges = {}) {
    this.#allow = allow.map(readRange)
    this.#barred = [...NEVER, ...refuse].map(readRange)
    this.#own = own
  }

  /**
   * Returns the canonical spelling of an address that may be called, else undefined. Allowed are global
   * unicast addresses without a special purpose (IANA). An IPv4-mapped address counts as its IPv4 address,
   * and a NAT64 address is judged by the IPv4 address in it. Addresses of 6to4, Teredo, IPv4-compatible and
   * local NAT64 prefixes are refused.
   */
  admit(text: string): string | undefined {
    const address = readAddress(text)
    if (!address) return undefined
    const reached = behindNat64(address) ?? address
    if (this.#isBarred(address) || this.#isBarred(reached)) return undefined
    const admitted = this.#isAllowed(address) || this.#isForeign(reached)
    return admitted ? address.toString() : undefined
  }

  #isBarred(address: Address): boolean {
    return this.#barred.some((range) => isWithin(address, range))
  }

  #isAllowed(address: Address): boolean {
    return this.#allow.some((range) => isWithin(address, range))
  }

  #isForeign(address: Address): boolean {
    if (!isPublic(address)) return false
    const spelled = address.toString()
    return !this.#own().some((own) => readAddress(own)?.toString() === spelled)
  }
}

const PLAIN = new AddressRules()

const NEVER_RANGES = NEVER.map(readRange)

/**
 * Returns whether an address is never called under any rules: metadata, link-local or unspecified addresses,
 * and texts that are not a plain address.
 */
export function isNeverCalled(text: string): boolean {
  const address = readAddress(text)
  if (address === undefined) return true
  const inside = behindNat64(address) ?? address
  return NEVER_RANGES.some((range) => isWithin(address, range) || isWithin(inside, range))
}

/** Returns whether a text is a public unicast address in its plain spelling, by the default rules. */
export function isPublicAddress(text: string): boolean {
  return PLAIN.admit(text) !== undefined
}
