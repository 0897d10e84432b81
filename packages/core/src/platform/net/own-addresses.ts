import { networkInterfaces } from 'node:os'

/**
 * Returns the addresses of this machine's interfaces. A call to one of them never leaves the machine, so it
 * would bypass a firewall that guards its ports from outside, even if the address is public.
 */
export function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((found = []) => found.map(({ address }) => address))
}
