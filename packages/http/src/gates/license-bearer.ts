import { type Licensee, Problem } from '@svc/core'
import { bearerOf } from '../bearer.ts'
import type { Gate } from '../route.ts'

/** Holders of a license key that is good at this moment (spec, Authentication: License bearer). */
export const licenseBearer: Gate<Licensee> = {
  security: ['licenseKey'],
  replies: { 401: { description: 'Bad or missing license key.' } },
  admit: async ({ plane, rawHeaders }) => {
    const key = bearerOf(rawHeaders)
    const licensee = key === undefined ? undefined : await plane.licenses.validate(key)
    if (licensee === undefined) throw new Problem('unauthorized')
    return licensee
  },
}
