import { type Config, Problem, type RateLimit, type RateVerdict } from '@svc/core'
import { clientNetworks } from '@svc/core/adapters'
import type { GateRequest, Replies } from '../exchange/route.ts'
import { delayRefusal } from './flood-delay.ts'

/** The reply of every limited gate (docs/reference/limits.md). */
export const LIMITED: Replies = {
  429: {
    name: 'RateLimited',
    description: 'A rate limit was hit.',
    headers: { 'Retry-After': "Whole seconds to the window's end, at least 1." },
  },
}

/** A rate limit as a route declares it. Limits of one name share their windows. */
export interface RouteLimit extends Omit<RateLimit, 'limit'> {
  /** Requests that pass in a window, or the setting that says how many. */
  readonly limit: number | ((config: Config) => number)
}

const isFixed = (limit: RouteLimit): limit is RateLimit => typeof limit.limit === 'number'

function settled({ config }: GateRequest['plane'], given: RouteLimit): RateLimit {
  if (isFixed(given)) return given
  const { name, limit, windowSeconds } = given
  return { name, windowSeconds, limit: typeof limit === 'number' ? limit : limit(config) }
}

/**
 * Counts the request in a rate window of `subject`. Returns undefined if the request passes at once. A client
 * far beyond a limit gets its refusal late.
 * @throws Problem `rate-limited`
 */
export function takeFrom(
  { plane }: Pick<GateRequest, 'plane'>,
  limit: RouteLimit,
  subject: string,
): Promise<void> | undefined {
  return passing(plane.limits.take(settled(plane, limit), subject))
}

/**
 * Counts the request in the rate window of a license. Returns as `takeFrom` does.
 * @throws Problem `rate-limited`
 */
export function takeByLicense(
  { plane }: Pick<GateRequest, 'plane'>,
  limit: RouteLimit,
  licenseId: string,
): Promise<void> | undefined {
  return passing(plane.limits.takeByLicense(settled(plane, limit), licenseId))
}

/**
 * Counts the request by the client's address, for IPv6 by the address of its network. Returns as `takeFrom`
 * does.
 * @throws Problem `rate-limited`
 */
export function takeByAddress(
  { plane, address }: Pick<GateRequest, 'plane' | 'address'>,
  limit: RouteLimit,
): Promise<void> | undefined {
  return passing(plane.limits.takeByNetworks(settled(plane, limit), clientNetworks(address)))
}

/**
 * Counts the request by the client's address, and lets it pass while nobody can count: figures and checks are
 * needed most when the database is down.
 * @throws Problem `rate-limited`
 */
export async function takeByAddressIfCounted(
  request: Pick<GateRequest, 'plane' | 'address'>,
  limit: RouteLimit,
): Promise<void> {
  try {
    await takeByAddress(request, limit)
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'rate-limited') throw error
  }
}

function passing(verdict: RateVerdict | Promise<RateVerdict>): Promise<void> | undefined {
  if (verdict instanceof Promise) return verdict.then(pass)
  return verdict.allowed ? undefined : pass(verdict)
}

async function pass({ allowed, retryAfterSeconds, isFlooding }: RateVerdict): Promise<void> {
  if (isFlooding) await delayRefusal()
  if (!allowed) throw new Problem('rate-limited', { retryAfterSeconds })
}
