import type { Licensee } from '@svc/core/adapters'
import type { Gate } from '../exchange/route.ts'
import { licenseBearer } from './license-bearer.ts'
import { LIMITED, type RouteLimit, takeByLicense } from './limit.ts'

/**
 * Admits holders of a license key, within a rate limit per license. An unknown key is refused before it opens
 * a rate window.
 */
export const agentGate = (limit: RouteLimit): Gate<Licensee> => ({
  security: licenseBearer.security,
  replies: { ...licenseBearer.replies, ...LIMITED },
  admit: async (request) => {
    const licensee = await licenseBearer.admit(request)
    await takeByLicense(request, limit, licensee.licenseId)
    return licensee
  },
})
