import type { Log } from '../log.ts'
import type { Resolver } from './dns.ts'
import { machineResolver } from './dns-machine.ts'
import { createOutbound, type StreamingOutbound } from './outbound.ts'
import type { OutboundLimits } from './outbound-request.ts'

/**
 * What an operator may name beside public addresses: this machine and private networks. Link-local and
 * metadata addresses lie outside, or are refused all the same.
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

/** What a client for the operator's own addresses is built from. */
export interface OperatorOutboundParts {
  readonly log?: Log | undefined
  readonly limits?: Partial<OutboundLimits> | undefined
  readonly resolver?: Resolver | undefined
}

/**
 * The guarded client for an address that the operator has set: this machine and private networks are allowed
 * beside public addresses, and every port; metadata and link-local ones never. Pinning, caps and refused
 * redirects are those of every call.
 */
export function operatorOutbound({
  resolver = machineResolver(),
  log,
  limits,
}: OperatorOutboundParts = {}): StreamingOutbound {
  return createOutbound({ resolver, log, limits, anyPort: true, allow: PRIVATE_RANGES, own: () => [] })
}
