import { BlockList, isIPv6 } from 'node:net'
import { clientAddress } from '@svc/core/adapters'

/** The facts that give the client's address. */
export interface AddressFacts {
  /** The `x-forwarded-for` header; several headers are joined by commas. */
  readonly forwarded: string | undefined
  readonly socketAddress: string | undefined
  /** Ranges of the trusted proxies in front of the service; empty: they are counted by `hops`. */
  readonly proxies: readonly string[]
  /** Trusted proxies in front of the service; each appends the address of its own client. */
  readonly hops: number
}

/** The address of peers that connect through a socket file on this machine. */
const LOCAL = 'local'

/** Most proxies in a row; entries further left never count. */
const MAX_PROXIES = 16

/**
 * The client's address. It is the last address of the way that lies outside of the proxies' ranges, where
 * these are known: the peer's own, unless the peer is a proxy, else the nearest entry of `x-forwarded-for`
 * from the right that is none. A socket file is one of the proxies.
 *
 * Elsewhere it is the entry that the outermost of `hops` proxies wrote, counted from the right; the leftmost
 * if there are fewer. Without the header, with an entry that is no address, or with no proxy in front, it is
 * the socket's own address. So entries that a client forges on the left never count, yet a client that
 * reaches the service without a proxy chooses its address.
 *
 * A port after an address, which some proxies write, is cut off; every address is returned in one spelling.
 */
export function clientIp({ forwarded, socketAddress, proxies, hops }: AddressFacts): string {
  const peer = clientAddress(socketAddress ?? '') ?? LOCAL
  if (forwarded === undefined) return peer
  if (proxies.length > 0) return beyondProxies(peer, forwarded, proxies)
  return clientAddress(hops < 1 ? '' : entryFromRight(forwarded, hops)) ?? peer
}

function beyondProxies(peer: string, forwarded: string, proxies: readonly string[]): string {
  let nearest = peer
  for (let place = 1; place <= MAX_PROXIES && isOneOf(proxies, nearest); place += 1) {
    const next = clientAddress(entryFromRight(forwarded, place, ''))
    if (next === undefined) break
    nearest = next
  }
  return nearest
}

// The ranges of a service are one list for as long as it runs, and looking addresses up is native.
const listed = new WeakMap<readonly string[], BlockList>()

function isOneOf(proxies: readonly string[], address: string): boolean {
  if (address === LOCAL) return true
  let ranges = listed.get(proxies)
  if (ranges === undefined) {
    ranges = rangesOf(proxies)
    listed.set(proxies, ranges)
  }
  return ranges.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

function rangesOf(proxies: readonly string[]): BlockList {
  const ranges = new BlockList()
  for (const range of proxies) {
    const [network = '', bits] = range.split('/')
    const family = isIPv6(network) ? 'ipv6' : 'ipv4'
    if (bits === undefined) ranges.addAddress(network, family)
    else ranges.addSubnet(network, Number(bits), family)
  }
  return ranges
}

/** The entry at a place from the right; further left it is the leftmost, or `beyond` where that is given. */
function entryFromRight(list: string, place: number, beyond?: string): string {
  let end = list.length
  for (let passed = 1; ; passed += 1) {
    const comma = list.lastIndexOf(',', end - 1)
    if (end === 0) return ''
    if (passed === place) return list.slice(comma + 1, end).trim()
    if (comma === -1) return beyond ?? list.slice(0, end).trim()
    end = comma
  }
}
