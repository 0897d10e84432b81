import { Problem } from '@svc/core'
import type { Gate } from '../exchange/route.ts'
import { bearerOf } from './bearer.ts'
import { BAD_KEYS } from './license-bearer.ts'
import { byToken, licenseDeed, tokenOf } from './license-deed.ts'
import { type RouteLimit, takeByAddress, takeByLicense } from './limit.ts'

const DEED = 'checkouts'

/** The license that somebody wants to pay for. */
export interface BillableLicense {
  readonly licenseId: string
}

/**
 * Admits holders of a license key that may be paid for: also of a license that has expired or is suspended
 * for billing, since they could never pay otherwise. The rest is as for every deed of a license.
 */
export const billableLicense = (limit: RouteLimit): Gate<BillableLicense> => ({
  ...licenseDeed(DEED, limit),
  admit: async (request) => {
    const token = tokenOf(request)
    if (token !== undefined) {
      const { licenseId } = await byToken(request, token, DEED)
      await takeByLicense(request, limit, licenseId)
      return { licenseId }
    }
    const key = bearerOf(request.rawHeaders)
    if (key === undefined) throw new Problem('unauthorized')
    const licenseId = await request.plane.billing.holderOf(key).catch(async (error: unknown) => {
      if (error instanceof Problem && error.code === 'unauthorized') await takeByAddress(request, BAD_KEYS)
      throw error
    })
    await takeByLicense(request, limit, licenseId)
    await request.plane.licenseDeeds.admitKey(licenseId, DEED)
    return { licenseId }
  },
})
