import type { RateLimitName } from '@svc/core'
import { bearerOf } from '../bearer.ts'
import type { Gate } from '../route.ts'
import { LIMITED, takeFrom } from './limit.ts'

/** Somebody unknown, with the bearer credential that came along, unchecked. */
export interface Stranger {
  readonly bearer: string | undefined
}

/** Everybody, so often per client address. */
export const perIp = (limit: RateLimitName): Gate<Stranger> => ({
  security: [],
  replies: LIMITED,
  admit: async (arrival) => {
    await takeFrom(arrival, limit, arrival.address)
    return { bearer: bearerOf(arrival.rawHeaders) }
  },
})
