import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Addresses of one family that share a prefix, as the kernel takes them. */
export interface AddressRange {
  readonly family: 'ip' | 'ip6'
  /** The first address, in its shortest spelling. */
  readonly address: string
  /** Leading bits that all addresses share: 32 or 128 for a single one. */
  readonly prefix: number
}

interface Parsed extends AddressRange {
  /** The shared bits, as digits. */
  readonly bits: string
}

const FULL = { ip: 32, ip6: 128 } as const

/**
 * Reads `203.0.113.7`, `10.0.0.0/8` or `2001:db8::/32`; undefined for everything else. Bits behind the
 * prefix are dropped. A name, an interface, a spelling with leading zeros, and an IPv4 address in the
 * spelling of IPv6, which would match nothing, are none.
 */
export const addressRange = (text: string): AddressRange | undefined => {
  const parsed = parse(text)
  return parsed && plain(parsed)
}

/** Returns the fewest ranges of the same addresses, IPv4 first: two halves are their whole. */
export const mergedRanges = (texts: readonly string[]): readonly AddressRange[] => merged(texts).map(plain)

/** Returns a test of whether every address of a range is in one of these. */
export function covering(texts: readonly string[]): (text: string) => boolean {
  const ranges = merged(texts)
  return (text) => {
    const range = parse(text)
    return range !== undefined && ranges.some((other) => contains(other, range))
  }
}

function merged(texts: readonly string[]): Parsed[] {
  const kept: Parsed[] = []
  // In the order of their bits a range comes right before those that lie in it, and a half before the other.
  for (const range of texts.flatMap((text) => parse(text) ?? []).sort(byBits)) {
    const last = kept.at(-1)
    if (last !== undefined && contains(last, range)) continue
    kept.push(range)
    for (let whole = wholeOf(kept); whole !== undefined; whole = wholeOf(kept)) kept.splice(-2, 2, whole)
  }
  return kept.sort(byWidth)
}

/** The range that the last two are the halves of; undefined if they are not. */
function wholeOf(ranges: readonly Parsed[]): Parsed | undefined {
  const [one, other] = ranges.slice(-2)
  if (one === undefined || other === undefined || one.prefix !== other.prefix) return undefined
  const shared = one.bits.slice(0, -1)
  const isWhole = one.family === other.family && one.prefix > 0 && other.bits.startsWith(shared)
  return isWhole ? rangeOf(one.family, shared) : undefined
}

const byBits = (one: Parsed, other: Parsed): number =>
  one.family === other.family ? (one.bits < other.bits ? -1 : 1) : one.family === 'ip' ? -1 : 1

const contains = (one: Parsed, other: Parsed): boolean =>
  one.family === other.family && other.bits.startsWith(one.bits)

const byWidth = (one: Parsed, other: Parsed): number =>
  one.family === other.family ? one.prefix - other.prefix : one.family === 'ip' ? -1 : 1

const plain = ({ family, address, prefix }: Parsed): AddressRange => ({ family, address, prefix })

function parse(text: string): Parsed | undefined {
  const [, base = '', length] = /^([0-9A-Fa-f:.]{2,45})(?:\/([0-9]|[1-9][0-9]{1,2}))?$/.exec(text) ?? []
  const kind = isIP(base)
  if (kind === 0) return undefined
  const family = kind === 4 ? 'ip' : 'ip6'
  const prefix = length === undefined ? FULL[family] : Number(length)
  const parsed = ipaddr.parse(base)
  const isMapped = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()
  if (prefix > FULL[family] || isMapped) return undefined
  const bits = parsed
    .toByteArray()
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')
    .slice(0, prefix)
  return rangeOf(family, bits)
}

function rangeOf(family: AddressRange['family'], bits: string): Parsed {
  const bytes = bits
    .padEnd(FULL[family], '0')
    .match(/.{8}/g)
    ?.map((byte) => Number.parseInt(byte, 2))
  return { family, prefix: bits.length, bits, address: ipaddr.fromByteArray(bytes ?? []).toString() }
}
