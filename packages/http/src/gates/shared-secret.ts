import { type Config, Problem, sameSecret } from '@svc/core'
import type { Gate, SecurityScheme } from '../route.ts'
import { bearerOf } from './bearer.ts'
import { limitGuesses } from './guess.ts'
import { LIMITED } from './limit.ts'

/** Which secret opens the gate, and what its absence means. */
export interface SharedSecretParts {
  readonly scheme: SecurityScheme
  readonly secretOf: (config: Config) => string | undefined
  /** Whether the settings of this secret are closed by a bad value: then nobody passes. */
  readonly isClosed?: (config: Config) => boolean
  /** What an unset secret means. */
  readonly whenUnset: 'refuse' | 'admit'
  /** A query parameter that carries the secret too. */
  readonly queryKey?: string
}

/**
 * Admits callers that know a secret of the settings, sent as bearer or as the query parameter; compared in
 * constant time. Gateways and cron services may add a bearer of their own, so either of the two is enough.
 */
export const sharedSecret = (parts: SharedSecretParts): Gate<undefined> => ({
  security: [parts.scheme],
  replies: { ...LIMITED, 401: { description: 'Bad or missing secret.' } },
  admit: async (arrival) => {
    const { plane, rawHeaders } = arrival
    const secret = parts.secretOf(plane.config)
    const key = parts.queryKey === undefined ? undefined : arrival.query(parts.queryKey)
    const given = [bearerOf(rawHeaders), key]
    // Both are compared, also when there is nothing to compare with, so that the time taken tells nothing.
    const same = given.map((each) => sameSecret(each ?? '', secret ?? '')).includes(true)
    const passes = secret === undefined ? parts.whenUnset === 'admit' : same
    if (secret !== undefined && given.some((each) => each !== undefined)) await limitGuesses(arrival, same)
    if (!passes) throw new Problem('unauthorized')
    // Last, so that nobody without the secret learns of the settings.
    if (parts.isClosed?.(plane.config)) throw new Problem('unavailable')
    return undefined
  },
})
