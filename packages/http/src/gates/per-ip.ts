import type { Gate } from '../exchange/route.ts'
import { bearerOf } from './bearer.ts'
import { LIMITED, type RouteLimit, takeByAddress } from './limit.ts'

/** An unidentified caller, with the bearer credential of the request, unchecked. */
export interface Stranger {
  readonly bearer: string | undefined
}

/** Admits every caller, within a rate limit per client address. */
export const perIp = (limit: RouteLimit): Gate<Stranger> => ({
  security: [],
  replies: LIMITED,
  admit: async (request) => {
    await takeByAddress(request, limit)
    return { bearer: bearerOf(request.rawHeaders) }
  },
})
