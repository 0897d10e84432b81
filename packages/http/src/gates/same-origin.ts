import { Problem, type RateLimitName } from '@svc/core'
import type { Arrival, Gate } from '../route.ts'
import { LIMITED, takeByAddress } from './limit.ts'

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined)

/**
 * Whether an origin is on the host that the request was sent to, by either scheme: TLS may end before the
 * service.
 */
export function isOnHost(origin: string, { headers }: Pick<Arrival, 'headers'>): boolean {
  const own = originOf(origin)
  return (
    own !== undefined && ['http', 'https'].some((scheme) => own === originOf(`${scheme}://${headers.host}`))
  )
}

function isOwn(origin: string, arrival: Arrival): boolean {
  const { publicUrl } = arrival.plane.config.service
  return publicUrl === undefined ? isOnHost(origin, arrival) : originOf(origin) === originOf(publicUrl)
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

/** Somebody unknown, and where they are. */
export interface Neighbour {
  readonly address: string
}

/** Everybody on our own pages, so often per client address. */
export const sameOrigin = (limit: RateLimitName): Gate<Neighbour> => ({
  security: [],
  replies: { ...LIMITED, 403: { description: 'A request on behalf of another site.' } },
  admit: async (arrival) => {
    requireSameOrigin(arrival)
    await takeByAddress(arrival, limit)
    return { address: arrival.address }
  },
})
