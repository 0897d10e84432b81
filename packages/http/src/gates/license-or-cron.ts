import { sameSecret } from '@svc/core'
import type { Licensee } from '@svc/core/adapters'
import type { Gate } from '../exchange/route.ts'
import { bearerOf } from './bearer.ts'
import { licenseBearer } from './license-bearer.ts'
import { LIMITED, type RouteLimit, takeByLicense, takeFrom } from './limit.ts'

/** The subject of the rate window of all callers with the secret. */
const CRON = 'cron'

/**
 * Admits the secret of the cron, for the work of everybody (undefined), and holders of a license key, for
 * their own. The secret is compared first, since a development service takes any key for a license.
 */
export const licenseOrCron = (limit: RouteLimit): Gate<Licensee | undefined> => ({
  security: ['licenseKey', 'sharedSecret'],
  replies: { ...licenseBearer.replies, ...LIMITED },
  admit: async (request) => {
    const { plane, rawHeaders } = request
    const { cronSecret } = plane.config.monitors
    // Compares also while the secret is unset, so that the time taken reveals nothing.
    const isSame = sameSecret(bearerOf(rawHeaders) ?? '', cronSecret ?? '')
    if (cronSecret !== undefined && isSame) {
      await takeFrom(request, limit, CRON)
      return undefined
    }
    const licensee = await licenseBearer.admit(request)
    await takeByLicense(request, limit, licensee.licenseId)
    return licensee
  },
})
