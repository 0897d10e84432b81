import { Problem } from '@svc/core'
import { isApiTokenLike, type LicenseDeed, type Licensee } from '@svc/core/adapters'
import type { Gate, GateRequest } from '../exchange/route.ts'
import { bearerOf } from './bearer.ts'
import { licenseBearer } from './license-bearer.ts'
import { LIMITED, type RouteLimit, takeByLicense } from './limit.ts'
import { tokenCaller } from './session.ts'

/** The header that names a license of the tenant of an API token. */
const NAMED = 'svc-license'

const TOO_LONG = 128

/** The header of routes that an API token of a license's tenant opens, for the API document. */
export const SVC_LICENSE = {
  'Svc-License': "With an API token: the id of the license, if the token's tenant has several.",
}

/**
 * Admits holders of a license key, unless the license is `agentOnly`, and API tokens of the license's tenant
 * with a role that may do `deed`; each within a rate limit per license.
 */
export const licenseDeed = (deed: LicenseDeed, limit: RouteLimit): Gate<Licensee> => ({
  security: ['licenseKey', 'apiToken'],
  deed,
  replies: {
    ...licenseBearer.replies,
    ...LIMITED,
    400: { description: 'Several licenses of the tenant, and no `Svc-License` that names one.' },
    401: { name: 'BadLicenseCredential', description: 'Bad or missing license key or API token.' },
    403: {
      name: 'DeedRefused',
      description: 'The license is `agent_only`, or the API token has another role.',
    },
  },
  admit: async (request) => {
    const token = tokenOf(request)
    if (token !== undefined) {
      const licensee = await byToken(request, token, deed)
      await takeByLicense(request, limit, licensee.licenseId)
      return licensee
    }
    const licensee = await licenseBearer.admit(request)
    await takeByLicense(request, limit, licensee.licenseId)
    await request.plane.licenseDeeds.admitKey(licensee.licenseId, deed)
    return licensee
  },
})

/** The API token of a request, unchecked; undefined if its bearer is something else. */
export function tokenOf({ rawHeaders }: GateRequest): string | undefined {
  const bearer = bearerOf(rawHeaders)
  return bearer !== undefined && isApiTokenLike(bearer) ? bearer : undefined
}

/**
 * Admits an API token for a license of its tenant.
 * @throws Problem `unauthorized`, `credential-refused`, or `invalid-input` unless one license is meant
 */
export async function byToken(request: GateRequest, bearer: string, deed: LicenseDeed): Promise<Licensee> {
  const { token } = await tokenCaller(request, bearer)
  const named = request.headers[NAMED]
  if (Array.isArray(named) || (named?.length ?? 0) > TOO_LONG)
    throw new Problem('invalid-input', { details: ['Svc-License: expected the id of one license'] })
  return request.plane.licenseDeeds.admitToken(token, { deed, named })
}
