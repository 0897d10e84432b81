import { Problem } from '@svc/core'
import { siteOrigins } from '@svc/core/adapters'
import type { Gate, GateRequest } from '../exchange/route.ts'
import { LIMITED, type RouteLimit, takeByAddress, takeFrom } from './limit.ts'
import { isOnHost } from './same-origin.ts'

/** A visitor of a site that may embed the chat, or a client that is no browser. */
export interface Visitor {
  readonly address: string
  /** Aborted when the visitor has left. */
  readonly gone: AbortSignal
}

/** A rate limit of the chat: counted by client address, or over all visitors together. */
export interface ChatLimit extends RouteLimit {
  readonly of: 'address' | 'everybody'
}

const LOCAL = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/

/**
 * Whether a page of this origin may use the chat (spec, Chat origin rule). The whole text that browsers send
 * is compared: scheme, host and port, never a prefix or a suffix. Sandboxed and local pages send `null`. A
 * service that does not know its own address compares with the host of the request.
 */
function isAllowedOrigin(origin: string, request: GateRequest): boolean {
  const { chat, service } = request.plane.config
  if (!service.production && LOCAL.test(origin)) return true
  if (chat.allowedOrigins.length > 0) return chat.allowedOrigins.includes(origin)
  if (service.publicUrl === undefined) return isOnHost(origin, request)
  return siteOrigins(service.publicUrl).includes(origin)
}

/**
 * @throws Problem `forbidden` for a page of another site, `unavailable` while the chat's settings are invalid
 */
function admitOrigin(request: GateRequest): void {
  const { plane, headers } = request
  const { config } = plane
  if (config.faults.chat !== undefined) throw new Problem('unavailable')
  request.setHeader('Vary', 'Origin')
  const { origin } = headers
  if (origin === undefined) return
  if (!isAllowedOrigin(origin, request)) throw new Problem('forbidden')
  request.setHeader('Access-Control-Allow-Origin', origin)
  request.setHeader('Access-Control-Expose-Headers', 'Retry-After, Svc-Request-Id')
}

/**
 * Admits visitors of allowed sites within rate limits; checks the origin first, then the limits in their
 * order.
 */
export const chatOrigin = (...limits: readonly ChatLimit[]): Gate<Visitor> => ({
  security: [],
  replies: {
    ...(limits.length > 0 ? LIMITED : {}),
    403: { description: 'A page of a site that may not use the chat.' },
  },
  admit: async (request) => {
    admitOrigin(request)
    for (const limit of limits) {
      await (limit.of === 'address' ? takeByAddress(request, limit) : takeFrom(request, limit, limit.of))
    }
    return { address: request.address, gone: request.gone }
  },
})
