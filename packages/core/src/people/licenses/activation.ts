import { present } from '../../kernel/present.ts'
import type { Tier } from './settings.ts'

/** `typ` of an activation token. */
export const ACTIVATION_TYP = 'svc-act+jwt'
/** The audience of activation tokens. */
export const AGENT_AUDIENCE = 'svc-agent'

const DAY_SECONDS = 86_400

/**
 * Facts that an activation token is made from (docs/reference/cryptography.md). Instants are unix seconds in
 * its claims.
 */
export interface ActivationFacts {
  readonly issuer: string
  readonly licenseId: string
  readonly tokenId: string
  readonly fingerprint: string | undefined
  readonly now: Date
  readonly ttlDays: number
  readonly entitled: Tier
}

/**
 * Returns the claims of an activation token; bound to the fingerprint if one was supplied. Never contain the
 * key.
 */
export function activationClaims(facts: ActivationFacts) {
  const iat = Math.floor(facts.now.getTime() / 1000)
  return {
    iss: facts.issuer,
    aud: AGENT_AUDIENCE,
    sub: facts.licenseId,
    jti: facts.tokenId,
    iat,
    nbf: iat,
    exp: iat + facts.ttlDays * DAY_SECONDS,
    plan: facts.entitled.plan,
    features: facts.entitled.features,
    ...present('fp', facts.fingerprint),
  }
}

/**
 * The result of an activation (spec, Activation result). `expires` is the same second as the token's `exp`.
 */
export interface Activation {
  readonly token: string
  readonly plan: string
  readonly features: readonly string[]
  readonly expires: string
}
