import { Problem } from '@svc/core'
import { type BrowserCaller, isBrowserTokenLike } from '@svc/core/adapters'
import type { Gate, GateRequest } from '../exchange/route.ts'
import { bearerOf } from './bearer.ts'
import { BAD_KEYS } from './license-bearer.ts'
import { LIMITED, type RouteLimit, takeByAddress, takeFrom } from './limit.ts'

/** The caller of the browser worker, and its connection. */
export interface BrowserVisitor {
  readonly caller: BrowserCaller
  /** Aborted when the client has left, or has its answer. */
  readonly gone: AbortSignal
}

/**
 * Admits holders of a browser token that is good at this moment. A good license key is told that it is not
 * enough; while there is no browser token at all, it is as bad as any other. While a setting of the worker
 * cannot be read, nobody is told that a token is bad.
 */
export const browserToken = (limit: RouteLimit): Gate<BrowserVisitor> => ({
  security: ['browserToken'],
  replies: {
    ...LIMITED,
    401: { description: 'Bad or missing browser token.' },
    403: { description: 'A license key: a browser token is required.' },
  },
  admit: async (request) => {
    const bearer = bearerOf(request.rawHeaders)
    if (bearer === undefined) throw new Problem('unauthorized')
    const caller = await request.plane.browserTokens.authenticate(bearer)
    if (caller === undefined) return refuse(request, bearer)
    await takeFrom(request, limit, caller.id)
    return { caller, gone: request.gone }
  },
})

async function refuse(request: GateRequest, bearer: string): Promise<never> {
  const { licenses, browserTokens } = request.plane
  // A good token of the settings is not known while one of them cannot be read.
  const bad = request.plane.config.faults.browser?.map((fault) => fault.split(' ', 1)[0] ?? '')
  const isLicense = !isBrowserTokenLike(bearer) && (await licenses.validate(bearer)) !== undefined
  if (isLicense && (await browserTokens.exist())) throw new Problem('browser-token-required')
  if (!isLicense) await takeByAddress(request, BAD_KEYS)
  if (bad !== undefined) throw new Problem('browser-not-configured', { missing: bad })
  throw new Problem('unauthorized')
}
