import { Problem, type RateLimitName } from '@svc/core'
import type { Arrival, Gate } from '../route.ts'
import { LIMITED, takeByAddress } from './limit.ts'

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined)

/**
 * Whether an origin is on the host that the request was sent to, with either scheme: a proxy may terminate
 * TLS.
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
 * Refuses a browser's requests on behalf of another site: those with a foreign `Origin`, or without `Origin`
 * but with a foreign `Sec-Fetch-Site`. Clients that are no browsers send neither header and pass.
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

/** An unidentified caller, with the client's address. */
export interface Neighbour {
  readonly address: string
}

/** Admits every caller from the service's own pages, within a rate limit per client address. */
export const sameOrigin = (limit: RateLimitName): Gate<Neighbour> => ({
  security: [],
  replies: { ...LIMITED, 403: { description: 'A request on behalf of another site.' } },
  admit: async (arrival) => {
    requireSameOrigin(arrival)
    await takeByAddress(arrival, limit)
    return { address: arrival.address }
  },
})
