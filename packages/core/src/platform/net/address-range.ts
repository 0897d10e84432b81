import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An IPv4 or IPv6 address; an IPv4-mapped one counts as IPv4. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6
/** A network and the length of its prefix. */
export type AddressRange = readonly [network: Address, bits: number]

const BITS = { ipv4: 32, ipv6: 128 } as const

/**
 * Reads an address in its one plain spelling. Undefined for any other text, such as an address with a zone,
 * or `0x7f.1`.
 */
export function readAddress(text: string): Address | undefined {
  const family = isIP(text)
  if (family === 4) return ipaddr.IPv4.parse(text)
  if (family === 0 || text.includes('%')) return undefined
  // The URL parser comes first: ipaddr.js reads `::127.0.0.1` as if it were `::ffff:127.0.0.1`.
  const address = ipaddr.IPv6.parse(new URL(`http://[${text}]`).hostname.slice(1, -1))
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/**
 * Reads a CIDR range or a single address. Throws `TypeError` for any other text, because a mistyped rule
 * would silently match nothing.
 */
export function readRange(text: string): AddressRange {
  const [network = '', bits, ...more] = text.split('/')
  const address = readAddress(network)
  const mapped = address?.kind() === 'ipv4' && network.includes(':')
  if (!address || mapped || more.length > 0) throw new TypeError(`${text} is not a range of IP addresses`)
  const most = BITS[address.kind()]
  const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : most + 1
  if (length > most) throw new TypeError(`${text} is not a range of IP addresses`)
  const first = firstOf(address, length)
  if (first !== address.toString()) throw new TypeError(`${text} does not start at its network, ${first}`)
  return [address, length]
}

function firstOf(address: Address, bits: number): string {
  const cidr = `${address.toString()}/${bits}`
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
  return family.networkAddressFromCIDR(cidr).toString()
}

/** Returns whether the address is in the range; false if their families differ. */
export function isWithin(address: Address, [network, bits]: AddressRange): boolean {
  return address.kind() === network.kind() && address.match(network, bits)
}
