import { clientAddress } from '@svc/core/adapters'

/** The facts from which the client's address follows. */
export interface AddressFacts {
  /** The `x-forwarded-for` header; several headers are joined by commas. */
  readonly forwarded: string | undefined
  readonly socketAddress: string | undefined
  /** Trusted proxies in front of the service; each appends the address of its own client. */
  readonly hops: number
}

/** The address of peers that connect through a socket file on this machine. */
const LOCAL = 'local'

/**
 * The client's address: the entry of `x-forwarded-for` that the outermost trusted proxy wrote, counted from
 * the right, so that entries which a client forges on the left never count. If there are fewer entries than
 * proxies, the leftmost counts. Without the header, with an entry that is no address, or with no proxy in
 * front, the result is the socket's own address. A port after the address, which some proxies write, is cut
 * off, and every address is returned in one spelling.
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
