import type { Licensee, RateLimitName } from '@svc/core'
import type { Gate } from '../route.ts'
import { licenseBearer } from './license-bearer.ts'
import { LIMITED, takeFrom } from './limit.ts'

/**
 * Admits holders of a license key, within a rate limit per license. An unknown key is refused before it opens
 * a rate window.
 */
export const agentGate = (limit: RateLimitName): Gate<Licensee> => ({
  security: licenseBearer.security,
  replies: { ...licenseBearer.replies, ...LIMITED },
  admit: async (request) => {
    const licensee = await licenseBearer.admit(request)
    await takeFrom(request, limit, licensee.licenseId)
    return licensee
  },
})
