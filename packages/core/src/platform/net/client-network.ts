import { type Address, readAddress } from './address-range.ts'

/** Longest accepted text: an IPv6 address with brackets, a zone and a port. */
const MAX_CHARS = 80
const BRACKETED = /^\[([^\]]+)\](?::\d{1,5})?$/
const IPV4_WITH_PORT = /^([\d.]+):\d{1,5}$/

/** Bits of a group in an IPv6 address. */
const GROUP_BITS = 16

/** Networks of a client's address, for counting its requests. */
export interface ClientNetworks {
  /** The IPv4 address, or the /64 network of an IPv6 address: one host can use every address in it. */
  readonly own: string
  /** The /48 network of an IPv6 address: one customer can own every /64 in it. */
  readonly site: string | undefined
}

/**
 * Returns the canonical spelling of a client's address as a proxy may write it: without port, brackets and
 * zone, and IPv4-mapped addresses as IPv4. Undefined if the text is not an address.
 */
export function clientAddress(text: string): string | undefined {
  return addressOf(text)?.toString()
}

/** Returns the networks of an address; any other text counts as its own network. */
export function clientNetworks(text: string): ClientNetworks {
  const address = addressOf(text)
  if (address === undefined) return { own: text, site: undefined }
  if (!('parts' in address)) return { own: address.toString(), site: undefined }
  return { own: prefixOf(address.parts, 64), site: prefixOf(address.parts, 48) }
}

/** Returns the group under which a waiting client is queued: its widest network. */
export function clientCrowd(text: string): string {
  const { own, site } = clientNetworks(text)
  return site ?? own
}

function addressOf(text: string): Address | undefined {
  if (text.length > MAX_CHARS) return undefined
  const [, bare = text] = BRACKETED.exec(text) ?? IPV4_WITH_PORT.exec(text) ?? []
  const [plain = ''] = bare.split('%')
  return readAddress(plain)
}

const prefixOf = (groups: readonly number[], bits: number): string =>
  `${groups
    .slice(0, bits / GROUP_BITS)
    .map((group) => group.toString(16))
    .join(':')}::/${bits}`
