import type { Licensee, RateLimitName } from '@svc/core'
import type { Gate } from '../route.ts'
import { licenseBearer } from './license-bearer.ts'
import { LIMITED, takeFrom } from './limit.ts'

/** Holders of a license key, so often per license. An unknown key is refused before it opens a window. */
export const agentGate = (limit: RateLimitName): Gate<Licensee> => ({
  security: licenseBearer.security,
  replies: { ...licenseBearer.replies, ...LIMITED },
  admit: async (arrival) => {
    const licensee = await licenseBearer.admit(arrival)
    await takeFrom(arrival, limit, licensee.licenseId)
    return licensee
  },
})
