import { type Config, Problem, sameSecret } from '@svc/core'
import type { Gate, SecurityScheme } from '../exchange/route.ts'
import { bearerOf } from './bearer.ts'
import { limitGuesses } from './guess.ts'
import { LIMITED, type RouteLimit, takeByAddressIfCounted } from './limit.ts'

/** Options of a gate that a shared secret opens. */
export interface SharedSecretParts {
  readonly scheme: SecurityScheme
  readonly secretOf: (config: Config) => string | undefined
  /** Whether the settings of this secret have an invalid value: then the gate admits no one. */
  readonly isClosed?: (config: Config) => boolean
  /** Whether the gate admits or refuses every caller while the secret is unset. */
  readonly whenUnset: 'refuse' | 'admit'
  /** Requests that pass, per client address. */
  readonly limit?: RouteLimit
  /** A query parameter that may also carry the secret. */
  readonly queryKey?: string
}

/**
 * Admits callers that send a secret of the settings as bearer or as the query parameter; compares in constant
 * time. Gateways and cron services may add a bearer of their own, so either of the two is enough.
 */
export const sharedSecret = (parts: SharedSecretParts): Gate<undefined> => ({
  security: [parts.scheme],
  replies: { ...LIMITED, 401: { name: 'BadSecret', description: 'Bad or missing secret.' } },
  admit: async (request) => {
    const { plane, rawHeaders } = request
    const secret = parts.secretOf(plane.config)
    const key = parts.queryKey === undefined ? undefined : request.query(parts.queryKey)
    const given = [bearerOf(rawHeaders), key]
    // Compares both, even when the secret is unset, so that the time taken reveals nothing.
    const same = given.map((each) => sameSecret(each ?? '', secret ?? '')).includes(true)
    const passes = secret === undefined ? parts.whenUnset === 'admit' : same
    if (secret !== undefined && given.some((each) => each !== undefined)) await limitGuesses(request, same)
    if (!passes) throw new Problem('unauthorized')
    if (parts.limit !== undefined) await takeByAddressIfCounted(request, parts.limit)
    // Checked last, so that callers without the secret learn nothing about the settings.
    if (parts.isClosed?.(plane.config)) throw new Problem('unavailable')
    return undefined
  },
})
