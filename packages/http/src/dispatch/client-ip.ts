import { clientAddress } from '@svc/core'

/** What tells the client's address. */
export interface AddressFacts {
  /** The header `x-forwarded-for`, several of them joined by commas. */
  readonly forwarded: string | undefined
  readonly socketAddress: string | undefined
  /** Trusted proxies in front of the service; each appends the address that it was called from. */
  readonly hops: number
}

/** Peers without an address speak through a socket of this machine. */
const LOCAL = 'local'

/**
 * The client's address: the entry of `x-forwarded-for` that the outermost trusted proxy wrote, counted from
 * the right, so that what a client forges on the left never wins. With fewer entries than proxies the
 * leftmost counts. Without the header, with an entry that is no address, or with no proxy in front, the
 * socket's own address. Some proxies write a port behind the address: it is cut off, and every address has
 * one spelling.
 */
export function clientIp({ forwarded, socketAddress, hops }: AddressFacts): string {
  const entry = forwarded === undefined || hops < 1 ? '' : entryFromRight(forwarded, hops)
  return clientAddress(entry) ?? clientAddress(socketAddress ?? '') ?? LOCAL
}

function entryFromRight(list: string, place: number): string {
  let end = list.length
  for (let passed = 1; ; passed += 1) {
    const comma = list.lastIndexOf(',', end - 1)
    if (end === 0) return ''
    if (passed === place || comma === -1) return list.slice(comma + 1, end).trim()
    end = comma
  }
}
