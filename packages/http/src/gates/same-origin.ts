import { Problem, type RateLimitName } from '@svc/core'
import type { Arrival, Gate } from '../route.ts'
import { LIMITED, takeFrom } from './limit.ts'

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined
}

function isOwn(origin: string, { plane, headers }: Arrival): boolean {
  const { publicUrl } = plane.config.service
  if (publicUrl !== undefined) return originOf(origin) === originOf(publicUrl)
  const own = originOf(origin)
  return own === `http://${headers.host}` || own === `https://${headers.host}`
}

/**
 * Refuses what a browser sends on behalf of another site: an `Origin` that is not ours, or without one a
 * `Sec-Fetch-Site` that says so. Clients that are no browsers send neither and pass.
 * @throws Problem `forbidden`
 */
export function requireSameOrigin(arrival: Arrival): void {
  const { origin, 'sec-fetch-site': site } = arrival.headers
  const isForeign =
    origin === undefined
      ? site !== undefined && site !== 'same-origin' && site !== 'none'
      : !isOwn(origin, arrival)
  if (isForeign) throw new Problem('forbidden')
}

/** Everybody on our own pages, so often per client address. */
export const sameOrigin = (limit: RateLimitName): Gate<undefined> => ({
  security: [],
  replies: { ...LIMITED, 403: { description: 'A request on behalf of another site.' } },
  admit: async (arrival) => {
    requireSameOrigin(arrival)
    await takeFrom(arrival, limit, arrival.address)
    return undefined
  },
})
