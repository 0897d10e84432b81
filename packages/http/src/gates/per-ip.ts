import type { RateLimitName } from '@svc/core'
import type { Gate } from '../route.ts'
import { bearerOf } from './bearer.ts'
import { LIMITED, takeByAddress } from './limit.ts'

/** Somebody unknown, with the bearer credential that came along, unchecked. */
export interface Stranger {
  readonly bearer: string | undefined
}

/** Everybody, so often per client address. */
export const perIp = (limit: RateLimitName): Gate<Stranger> => ({
  security: [],
  replies: LIMITED,
  admit: async (arrival) => {
    await takeByAddress(arrival, limit)
    return { bearer: bearerOf(arrival.rawHeaders) }
  },
})
