import { type Config, Problem, type RateLimitName, siteOrigins } from '@svc/core'
import type { Arrival, Gate } from '../route.ts'
import { LIMITED, takeFrom } from './limit.ts'

/** A visitor of a site that may embed the chat, or no browser at all. */
export interface Visitor {
  /** Aborted when the visitor has left. */
  readonly gone: AbortSignal
}

/** A limit of the chat: counted by client address, or over everybody. */
export type ChatLimit = readonly [RateLimitName, 'address' | 'everybody']

const LOCAL = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/

/**
 * Whether a page of this origin may use the chat (spec, Chat origin rule). Compared as a whole text, as browsers send
 * it: scheme, host and port, never a beginning or an end of one. `null` is what sandboxed and local pages send.
 */
export function isAllowedOrigin(
  origin: string,
  { chat, service }: Pick<Config, 'chat' | 'service'>,
): boolean {
  if (!service.production && LOCAL.test(origin)) return true
  const named = chat.allowedOrigins
  return (named.length > 0 ? named : siteOrigins(service.publicUrl)).includes(origin)
}

/** @throws Problem `forbidden` for a page of another site, `unavailable` while the chat's settings are bad */
function admitOrigin(arrival: Arrival): void {
  const { plane, headers } = arrival
  const { config } = plane
  if (config.faults.chat !== undefined) throw new Problem('unavailable')
  arrival.setHeader('Vary', 'Origin')
  const { origin } = headers
  if (origin === undefined) return
  if (!isAllowedOrigin(origin, config)) throw new Problem('forbidden')
  arrival.setHeader('Access-Control-Allow-Origin', origin)
  arrival.setHeader('Access-Control-Expose-Headers', 'Retry-After, Svc-Request-Id')
}

/** Visitors of allowed sites, so often; the origin first, then the limits in their order. */
export const chatOrigin = (...limits: readonly ChatLimit[]): Gate<Visitor> => ({
  security: [],
  replies: {
    ...(limits.length > 0 ? LIMITED : {}),
    403: { description: 'A page of a site that may not use the chat.' },
  },
  admit: async (arrival) => {
    admitOrigin(arrival)
    for (const [name, of] of limits) await takeFrom(arrival, name, of === 'address' ? arrival.address : of)
    return { gone: arrival.gone }
  },
})
