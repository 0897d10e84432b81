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

/** Returns the ranges without those that lie in another, IPv4 first. */
export function mergedRanges(texts: readonly string[]): readonly AddressRange[] {
  const kept: Parsed[] = []
  for (const range of texts.flatMap((text) => parse(text) ?? []).sort(byWidth)) {
    if (!kept.some((other) => other.family === range.family && range.bits.startsWith(other.bits)))
      kept.push(range)
  }
  return kept.map(plain)
}

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
  const bytes = bits
    .padEnd(FULL[family], '0')
    .match(/.{8}/g)
    ?.map((byte) => Number.parseInt(byte, 2))
  return { family, prefix, bits, address: ipaddr.fromByteArray(bytes ?? []).toString() }
}
