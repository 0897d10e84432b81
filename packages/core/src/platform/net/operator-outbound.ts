import type { Log } from '../../kernel/log.ts'
import type { Resolver } from './dns.ts'
import { machineResolver } from './dns-machine.ts'
import { createOutbound, type StreamingOutbound } from './outbound.ts'
import type { OutboundLimits } from './outbound-request.ts'

/**
 * Ranges that operators may name in addition to public addresses: this machine and private networks.
 * Link-local and metadata addresses are outside of them, or refused nevertheless.
 */
const PRIVATE_RANGES = [
  '127.0.0.0/8',
  '::1/128',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
] as const

/** Dependencies of the client for operators' addresses. */
export interface OperatorOutboundParts {
  readonly log?: Log | undefined
  readonly limits?: Partial<OutboundLimits> | undefined
  readonly resolver?: Resolver | undefined
}

/**
 * Returns a guarded client for an address that the operator set. It may call any port of public addresses,
 * private networks and this machine, but never metadata and link-local addresses. Address pinning, limits and
 * redirect rules are the same for every client.
 */
export function operatorOutbound({
  resolver = machineResolver(),
  log,
  limits,
}: OperatorOutboundParts = {}): StreamingOutbound {
  return createOutbound({ resolver, log, limits, anyPort: true, allow: PRIVATE_RANGES, own: () => [] })
}
