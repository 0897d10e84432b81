import ipaddr from 'ipaddr.js'
import { type Address, type AddressRange, isWithin, readAddress, readRange } from './address-range.ts'

/**
 * Refused even where `allow` covers them: what a cloud tells a machine about itself (credentials included) is
 * answered at these, and nothing that people call on purpose.
 */
const NEVER = [
  '0.0.0.0/8',
  '::/128',
  // Link-local, with the metadata services of most clouds at 169.254.169.254 and 169.254.170.2.
  '169.254.0.0/16',
  'fe80::/10',
  // Azure's wire server, inside of public space; then Alibaba, Oracle, and Amazon and Google over IPv6.
  '168.63.129.16/32',
  '100.100.100.200/32',
  '192.0.0.192/32',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
]

/**
 * All that is allocated as global unicast. Whatever lies outside is refused, also ranges yet without a
 * purpose.
 */
const GLOBAL_UNICAST = readRange('2000::/3')
const NAT64 = readRange('64:ff9b::/96')

function isPublic(address: Address): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isWithin(address, GLOBAL_UNICAST))
}

/** The IPv4 address that a NAT64 gateway would call for this one (RFC 6052, well-known prefix). */
function behindNat64(address: Address): Address | undefined {
  if (!isWithin(address, NAT64)) return undefined
  return new ipaddr.IPv4(address.toByteArray().slice(12))
}

/**
 * What the rules are made of. Ranges are CIDR or single addresses; a malformed one is a `TypeError` at once.
 */
export interface AddressRanges {
  /** Accepted although not public: loopback in tests, the networks of a private installation. */
  readonly allow?: readonly string[] | undefined
  /** Refused although public; wins over `allow`. */
  readonly refuse?: readonly string[] | undefined
  /** The machine's own addresses, asked anew for each judgement: refused unless `allow` covers them. */
  readonly own?: (() => readonly string[]) | undefined
}

/** Which addresses may be called when somebody else chose them. */
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
   * The one spelling under which this address may be connected to, or undefined when it may not. Public
   * means: global unicast and no special purpose (IANA). IPv4-mapped addresses are the IPv4 inside; those of
   * NAT64 are judged by it; 6to4, Teredo, IPv4-compatible and local NAT64 prefixes are refused.
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
 * Whether nobody may have this address called: metadata, link-local or unspecified, or a spelling that is not
 * plain.
 */
export function isNeverCalled(text: string): boolean {
  const address = readAddress(text)
  if (address === undefined) return true
  const inside = behindNat64(address) ?? address
  return NEVER_RANGES.some((range) => isWithin(address, range) || isWithin(inside, range))
}

/**
 * Whether a text is the plain spelling of a public unicast address, by the rules without any range of one's
 * own.
 */
export function isPublicAddress(text: string): boolean {
  return PLAIN.admit(text) !== undefined
}
