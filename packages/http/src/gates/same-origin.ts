import { Problem } from '@svc/core'
import type { Gate, GateRequest } from '../exchange/route.ts'
import { LIMITED, type RouteLimit, takeByAddress } from './limit.ts'

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined)

/**
 * Whether an origin is on the host that the request was sent to, with either scheme: a proxy may terminate
 * TLS.
 */
export function isOnHost(origin: string, { headers }: Pick<GateRequest, 'headers'>): boolean {
  const own = originOf(origin)
  return (
    own !== undefined && ['http', 'https'].some((scheme) => own === originOf(`${scheme}://${headers.host}`))
  )
}

function isOwn(origin: string, request: GateRequest): boolean {
  const { publicUrl } = request.plane.config.service
  return publicUrl === undefined ? isOnHost(origin, request) : originOf(origin) === originOf(publicUrl)
}

/**
 * Refuses a browser's requests on behalf of another site: those with a foreign `Origin`, or without `Origin`
 * but with a foreign `Sec-Fetch-Site`. Clients that are no browsers send neither header and pass.
 * @throws Problem `forbidden`
 */
export function requireSameOrigin(request: GateRequest): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  const isForeign =
    origin === undefined
      ? site !== undefined && site !== 'same-origin' && site !== 'none'
      : !isOwn(origin, request)
  if (isForeign) throw new Problem('forbidden')
}

/** An unidentified caller, with the client's address. */
export interface Neighbour {
  readonly address: string
}

/** Admits every caller from the service's own pages, within a rate limit per client address. */
export const sameOrigin = (limit: RouteLimit): Gate<Neighbour> => ({
  security: [],
  replies: { ...LIMITED, 403: { name: 'ForeignSite', description: 'A request on behalf of another site.' } },
  admit: async (request) => {
    requireSameOrigin(request)
    await takeByAddress(request, limit)
    return { address: request.address }
  },
})
