import { sameSecret } from '@svc/core'
import type { Arrival, Gate } from '../route.ts'
import { bearerOf } from './bearer.ts'
import { limitGuesses } from './guess.ts'
import { LIMITED } from './limit.ts'
import { session } from './session.ts'

const operator = session('platform.admin')

/** Whether the request brings `SERVICE_HEALTH_TOKEN`; nobody does while it is unset or bad. */
async function bringsToken(arrival: Arrival): Promise<boolean> {
  const { health, faults } = arrival.plane.config
  const given = bearerOf(arrival.rawHeaders)
  // Compared even when there is nothing to compare with, so that the time taken does not tell an unset token.
  const isSame = sameSecret(given ?? '', health.token ?? '')
  if (given === undefined || health.token === undefined) return false
  await limitGuesses(arrival, isSame)
  return isSame && faults.health === undefined
}

/** Holders of `SERVICE_HEALTH_TOKEN`, and people who are signed in with `platform.admin` (wire-app §5). */
export const healthTokenOrSession: Gate<undefined> = {
  security: ['healthToken', 'session'],
  replies: {
    ...LIMITED,
    401: { description: 'Neither the token nor a valid session.' },
    403: { description: 'The session lacks platform.admin, or a second factor that is demanded.' },
  },
  admit: async (arrival) => {
    if (!(await bringsToken(arrival))) await operator.admit(arrival)
    return undefined
  },
}
