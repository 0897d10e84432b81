import type { Deadline } from './deadline.ts'
import type { Resolver } from './dns.ts'
import { codeOf, OutboundRefused } from './outbound-refusal.ts'
import type { AddressRules } from './public-address.ts'
import type { Target } from './target.ts'

/** The means to find and judge the addresses of a host. */
export interface AddressChecks {
  readonly resolver: Resolver
  readonly rules: AddressRules
}

/**
 * Resolves a host once and checks every address. A single forbidden address refuses the host, since DNS can
 * return them in any order. Throws `OutboundRefused`.
 */
export async function checkedAddresses(
  { host, isLiteral }: Pick<Target, 'host' | 'isLiteral'>,
  { resolver, rules }: AddressChecks,
  deadline: Deadline,
): Promise<readonly string[]> {
  const found = isLiteral ? [host] : await resolved(host, resolver, deadline)
  if (found.length === 0) throw new OutboundRefused('unresolved')
  return found.map((address) => {
    const admitted = rules.admit(address)
    if (admitted === undefined) throw new OutboundRefused('not-public')
    return admitted
  })
}

async function resolved(host: string, resolver: Resolver, deadline: Deadline): Promise<readonly string[]> {
  try {
    return await deadline.race(resolver.resolve(host, deadline.signal))
  } catch (error) {
    deadline.signal.throwIfAborted()
    throw new OutboundRefused('unresolved', { cause: codeOf(error) })
  }
}
