import { type ControlPlane, clientNetworks, Problem, RecentMap } from '@svc/core'
import type { Arrival } from '../route.ts'
import { takeByAddress } from './limit.ts'

/** The networks from which a right secret has come, since the start. */
const trusted = new WeakMap<ControlPlane, RecentMap<true>>()

function trustedBy(plane: ControlPlane): RecentMap<true> {
  const known = trusted.get(plane) ?? new RecentMap<true>()
  trusted.set(plane, known)
  return known
}

/**
 * Counts a try at a secret, and refuses more than a few a minute before anybody hears whether they were
 * right. A network from which a right secret has come is never refused for the guesses of others: an outside
 * cron must not be shut out by strangers behind the same proxy.
 * @throws Problem `rate-limited`
 */
export async function limitGuesses(arrival: Arrival, isRight: boolean): Promise<void> {
  const known = trustedBy(arrival.plane)
  const { own } = clientNetworks(arrival.address)
  if (known.get(own) !== undefined) return
  try {
    await takeByAddress(arrival, 'secret-guess')
  } catch (error) {
    // Figures and probes are wanted most while the database is away, which may be what counts.
    if (!(error instanceof Problem) || error.code === 'rate-limited') throw error
  }
  if (isRight) known.set(own, true)
}
