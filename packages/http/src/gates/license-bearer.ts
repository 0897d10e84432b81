import { Problem } from '@svc/core'
import type { Licensee } from '@svc/core/adapters'
import type { Gate } from '../exchange/route.ts'
import { bearerOf } from './bearer.ts'
import { LIMITED, type RouteLimit, takeByAddress } from './limit.ts'

/** Bad license keys, per client address. All hosts behind one address may have such a key. */
export const BAD_KEYS: RouteLimit = { name: 'bad-key', limit: 120, windowSeconds: 60 }

/**
 * Admits holders of a license key that is good at this moment (spec, Authentication: License bearer). Only
 * bad keys are counted by address, so that hosts with a good key never suffer from other clients behind the
 * same address.
 */
export const licenseBearer: Gate<Licensee> = {
  security: ['licenseKey'],
  replies: { ...LIMITED, 401: { name: 'BadLicenseKey', description: 'Bad or missing license key.' } },
  admit: async (request) => {
    const key = bearerOf(request.rawHeaders)
    if (key === undefined) throw new Problem('unauthorized')
    const licensee = await request.plane.licenses.validate(key)
    if (licensee !== undefined) return licensee
    await takeByAddress(request, BAD_KEYS)
    throw new Problem('unauthorized')
  },
}
