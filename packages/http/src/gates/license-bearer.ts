import { type Licensee, Problem } from '@svc/core'
import type { Gate } from '../route.ts'
import { bearerOf } from './bearer.ts'
import { LIMITED, takeByAddress } from './limit.ts'

/**
 * Holders of a license key that is good at this moment (spec, Authentication: License bearer). Only keys that
 * are not are counted by address: hosts with a good one never suffer from others behind the same.
 */
export const licenseBearer: Gate<Licensee> = {
  security: ['licenseKey'],
  replies: { ...LIMITED, 401: { description: 'Bad or missing license key.' } },
  admit: async (arrival) => {
    const key = bearerOf(arrival.rawHeaders)
    if (key === undefined) throw new Problem('unauthorized')
    const licensee = await arrival.plane.licenses.validate(key)
    if (licensee !== undefined) return licensee
    await takeByAddress(arrival, 'bad-key')
    throw new Problem('unauthorized')
  },
}
