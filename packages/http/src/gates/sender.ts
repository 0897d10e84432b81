import { Problem } from '@svc/core'
import { type EmailKey, isEmailKeyLike } from '@svc/core/adapters'
import type { Gate, GateRequest } from '../exchange/route.ts'
import { bearerOf } from './bearer.ts'
import { BAD_KEYS, licenseBearer } from './license-bearer.ts'
import { LIMITED, type RouteLimit, takeByAddress, takeByLicense, takeFrom } from './limit.ts'

/** The sender of a message: a license, or one of its sending keys. */
export interface Sender {
  /** Id of the license; `''` for the platform. */
  readonly owner: string
  readonly key: EmailKey | undefined
}

/** Messages of one credential. */
const SENDS: RouteLimit = { name: 'email-send', limit: 120, windowSeconds: 60 }

/** Admits holders of a license key or of a sending key that are good at this moment. */
export const sender: Gate<Sender> = {
  security: ['licenseKey', 'sendingKey'],
  deed: 'email-send',
  replies: { ...LIMITED, 401: { description: 'Bad or missing license key or sending key.' } },
  admit: async (request) => {
    const bearer = bearerOf(request.rawHeaders)
    if (bearer !== undefined && isEmailKeyLike(bearer)) return bySendingKey(request, bearer)
    const { licenseId: owner } = await licenseBearer.admit(request)
    await takeByLicense(request, SENDS, owner)
    await request.plane.licenseDeeds.admitKey(owner, 'email-send')
    return { owner, key: undefined }
  },
}

async function bySendingKey(request: GateRequest, bearer: string): Promise<Sender> {
  const key = await request.plane.emailKeys.authenticate(bearer)
  if (key === undefined) {
    await takeByAddress(request, BAD_KEYS)
    throw new Problem('unauthorized')
  }
  await takeFrom(request, SENDS, key.id)
  return { owner: key.owner, key }
}
