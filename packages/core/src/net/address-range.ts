import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An IPv4 or IPv6 address; an IPv4-mapped one counts as IPv4. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6
/** A network and the length of its prefix. */
export type AddressRange = readonly [network: Address, bits: number]

const BITS = { ipv4: 32, ipv6: 128 } as const

/**
 * An address as the network sees it; undefined for anything but one plain spelling, so also for zones and
 * `0x7f.1`.
 */
export function readAddress(text: string): Address | undefined {
  const family = isIP(text)
  if (family === 4) return ipaddr.IPv4.parse(text)
  if (family === 0 || text.includes('%')) return undefined
  // Through WHATWG first: ipaddr.js reads `::127.0.0.1` as if it were `::ffff:127.0.0.1`.
  const address = ipaddr.IPv6.parse(new URL(`http://[${text}]`).hostname.slice(1, -1))
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/**
 * A range in CIDR, or a single address. Throws `TypeError`: a rule with a typing error must not just never
 * hold.
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

/** Whether the address lies in the range; never for one of the other family. */
export function isWithin(address: Address, [network, bits]: AddressRange): boolean {
  return address.kind() === network.kind() && address.match(network, bits)
}
