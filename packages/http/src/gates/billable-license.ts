import { Problem } from '@svc/core'
import type { Gate } from '../route.ts'
import { bearerOf } from './bearer.ts'
import { BAD_KEYS, licenseBearer } from './license-bearer.ts'
import { type RouteLimit, takeByAddress, takeByLicense } from './limit.ts'

/** The license that somebody wants to pay for. */
export interface BillableLicense {
  readonly licenseId: string
}

/**
 * Admits holders of a license key that may be paid for: also of a license that has expired or is suspended
 * for billing, since they could never pay otherwise.
 */
export const billableLicense = (limit: RouteLimit): Gate<BillableLicense> => ({
  security: ['licenseKey'],
  replies: licenseBearer.replies,
  admit: async (request) => {
    const key = bearerOf(request.rawHeaders)
    if (key === undefined) throw new Problem('unauthorized')
    const licenseId = await request.plane.billing.holderOf(key).catch(async (error: unknown) => {
      if (error instanceof Problem && error.code === 'unauthorized') await takeByAddress(request, BAD_KEYS)
      throw error
    })
    await takeByLicense(request, limit, licenseId)
    return { licenseId }
  },
})
