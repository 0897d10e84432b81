import { sameSecret } from '@svc/core'
import { bearerOf } from '../bearer.ts'
import type { Arrival, Gate } from '../route.ts'
import { session } from './session.ts'

const operator = session('platform.admin')

/** Whether the request brings `SERVICE_HEALTH_TOKEN`; nobody does while it is unset or bad. */
function bringsToken({ plane, rawHeaders }: Arrival): boolean {
  const { health, faults } = plane.config
  const given = bearerOf(rawHeaders)
  // Compared even when there is nothing to compare with, so that the time taken does not tell an unset token.
  const isSame = sameSecret(given ?? '', health.token ?? '')
  return isSame && given !== undefined && health.token !== undefined && faults.health === undefined
}

/** Holders of `SERVICE_HEALTH_TOKEN`, and people who are signed in with `platform.admin` (wire-app §5). */
export const healthTokenOrSession: Gate<undefined> = {
  security: ['healthToken', 'session'],
  replies: {
    401: { description: 'Neither the token nor a valid session.' },
    403: { description: 'The session lacks platform.admin, or a second factor that is demanded.' },
  },
  admit: async (arrival) => {
    if (!bringsToken(arrival)) await operator.admit(arrival)
    return undefined
  },
}
