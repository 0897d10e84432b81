import { sameSecret } from '@svc/core'
import { isApiTokenLike } from '@svc/core/adapters'
import type { Gate, GateRequest } from '../exchange/route.ts'
import { bearerOf } from './bearer.ts'
import { limitGuesses } from './guess.ts'
import { LIMITED, type RouteLimit, takeByAddressIfCounted, takeFrom } from './limit.ts'
import { session } from './session.ts'

/** System checks of one person or API token, and of one address with the token of the settings. */
const CHECKS: RouteLimit = { name: 'system-check', limit: 12, windowSeconds: 60 }

const operator = session('platform.admin')

/** Whether the request has `SERVICE_HEALTH_TOKEN`; always false while the token is unset or invalid. */
async function bringsToken(request: GateRequest): Promise<boolean> {
  const { health, faults } = request.plane.config
  const given = bearerOf(request.rawHeaders)
  // Compares even when the token is unset, so that the time taken does not reveal that.
  const isSame = sameSecret(given ?? '', health.token ?? '')
  // An API token is no guess at this one: the session's gate counts it.
  if (given === undefined || health.token === undefined || isApiTokenLike(given)) return false
  await limitGuesses(request, isSame)
  return isSame && faults.health === undefined
}

/** Admits `SERVICE_HEALTH_TOKEN`, and people and API tokens with `platform.admin` (docs/health.md). */
export const healthTokenOrSession: Gate<undefined> = {
  security: ['healthToken', 'apiToken', 'session'],
  replies: {
    ...LIMITED,
    401: { description: 'Neither the token, nor a valid session or API token.' },
    403: {
      description: 'The session or the API token lacks platform.admin, or a second factor that is demanded.',
    },
  },
  admit: async (request) => {
    if (await bringsToken(request)) {
      await takeByAddressIfCounted(request, CHECKS)
      return undefined
    }
    const caller = await operator.admit(request)
    await takeFrom(request, CHECKS, 'token' in caller ? caller.token.id : caller.user.id)
    return undefined
  },
}
