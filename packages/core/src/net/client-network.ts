import { type Address, readAddress } from './address-range.ts'

/** Longest spelling that is looked at: an IPv6 address with brackets, a zone and a port. */
const MAX_CHARS = 80
const BRACKETED = /^\[([^\]]+)\](?::\d{1,5})?$/
const IPV4_WITH_PORT = /^([\d.]+):\d{1,5}$/

/** Bits of a group in an IPv6 address. */
const GROUP_BITS = 16

/** The networks that a client's address counts in. */
export interface ClientNetworks {
  /** The address itself, and of IPv6 the /64: one host can have all the addresses in it. */
  readonly own: string
  /** The /48 around an IPv6 address: one customer can have all the networks in it. */
  readonly site: string | undefined
}

/**
 * The one spelling of a client's address as a proxy may write it: a port, brackets and a zone are cut off,
 * and an IPv4-mapped address is the IPv4 address. Undefined: the text is no address.
 */
export function clientAddress(text: string): string | undefined {
  return addressOf(text)?.toString()
}

/** The networks of an address; a text that is none counts as itself. */
export function clientNetworks(text: string): ClientNetworks {
  const address = addressOf(text)
  if (address === undefined) return { own: text, site: undefined }
  if (!('parts' in address)) return { own: address.toString(), site: undefined }
  return { own: prefixOf(address.parts, 64), site: prefixOf(address.parts, 48) }
}

/** The crowd that a client waits in when many wait: its own widest network. */
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
