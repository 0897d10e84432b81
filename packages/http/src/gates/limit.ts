import { clientNetworks, Problem, type RateLimitName, type RateVerdict } from '@svc/core'
import type { GateRequest, Replies } from '../route.ts'
import { delayRefusal } from './flood-delay.ts'

/** The reply of every limited gate (wire: Limits). */
export const LIMITED: Replies = {
  429: {
    description: 'A rate limit was hit.',
    headers: { 'Retry-After': "Whole seconds to the window's end, at least 1." },
  },
}

/**
 * Counts the request in a rate window of `subject`. Returns undefined if the request passes at once. A client
 * far beyond a limit gets its refusal late.
 * @throws Problem `rate-limited`
 */
export function takeFrom(
  { plane }: Pick<GateRequest, 'plane'>,
  name: RateLimitName,
  subject: string,
): Promise<void> | undefined {
  return passing(plane.limits.take(name, subject))
}

/**
 * Counts the request by the client's address, for IPv6 by the address of its network. Returns as `takeFrom`
 * does.
 * @throws Problem `rate-limited`
 */
export function takeByAddress(
  { plane, address }: Pick<GateRequest, 'plane' | 'address'>,
  name: RateLimitName,
): Promise<void> | undefined {
  return passing(plane.limits.takeByNetworks(name, clientNetworks(address)))
}

function passing(verdict: RateVerdict | Promise<RateVerdict>): Promise<void> | undefined {
  if (verdict instanceof Promise) return verdict.then(pass)
  return verdict.allowed ? undefined : pass(verdict)
}

async function pass({ allowed, retryAfterSeconds, isFlooding }: RateVerdict): Promise<void> {
  if (isFlooding) await delayRefusal()
  if (!allowed) throw new Problem('rate-limited', { retryAfterSeconds })
}
