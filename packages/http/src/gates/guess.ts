import type { ControlPlane } from '@svc/core'
import { clientNetworks, RecentMap } from '@svc/core/adapters'
import type { GateRequest } from '../exchange/route.ts'
import { type RouteLimit, takeByAddressIfCounted } from './limit.ts'

/** Tries at a secret of the settings, per address that never sent the right one. */
const GUESSES: RouteLimit = { name: 'secret-guess', limit: 10, windowSeconds: 60 }

/** The networks that have sent a right secret since the start of the process. */
const trusted = new WeakMap<ControlPlane, RecentMap<true>>()

function trustedBy(plane: ControlPlane): RecentMap<true> {
  const known = trusted.get(plane) ?? new RecentMap<true>()
  trusted.set(plane, known)
  return known
}

/**
 * Counts a guess at a secret, and refuses more than a few a minute before the caller learns whether the guess
 * was right. A network that has sent a right secret is never refused for the guesses of others: strangers
 * behind the same proxy must not shut out an external cron service.
 * @throws Problem `rate-limited`
 */
export async function limitGuesses(request: GateRequest, isRight: boolean): Promise<void> {
  const known = trustedBy(request.plane)
  const { own } = clientNetworks(request.address)
  if (known.get(own) !== undefined) return
  await takeByAddressIfCounted(request, GUESSES)
  if (isRight) known.set(own, true)
}
