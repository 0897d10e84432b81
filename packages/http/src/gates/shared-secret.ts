import { type Config, Problem, sameSecret } from '@svc/core'
import { bearerOf } from '../bearer.ts'
import type { Gate, SecurityScheme } from '../route.ts'

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

/** Whoever knows a secret of the settings, sent as bearer; compared in constant time. */
export const sharedSecret = (parts: SharedSecretParts): Gate<undefined> => ({
  security: [parts.scheme],
  replies: { 401: { description: 'Bad or missing secret.' } },
  admit: (arrival) => {
    const { plane, rawHeaders } = arrival
    const secret = parts.secretOf(plane.config)
    const given =
      bearerOf(rawHeaders) ?? (parts.queryKey === undefined ? undefined : arrival.query(parts.queryKey))
    // Compared even when there is nothing to compare with, so that the time taken does not tell an unset secret.
    const same = sameSecret(given ?? '', secret ?? '')
    const passes = secret === undefined ? parts.whenUnset === 'admit' : same
    if (!passes) throw new Problem('unauthorized')
    // Last, so that nobody without the secret learns of the settings.
    if (parts.isClosed?.(plane.config)) throw new Problem('unavailable')
    return undefined
  },
})
