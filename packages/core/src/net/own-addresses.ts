import { networkInterfaces } from 'node:os'

/**
 * The addresses of this machine's interfaces. A call to one of them never leaves the machine, so it would
 * pass behind the firewall that guards its ports from outside, even where the address itself is public.
 */
export function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((found = []) => found.map(({ address }) => address))
}
