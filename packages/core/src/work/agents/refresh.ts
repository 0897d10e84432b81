import { AGENT_AUDIENCE } from '../../people/licenses/activation.ts'
import { HEARTBEAT_SECONDS } from './agent.ts'

/** `typ` of a signed refresh. */
export const REFRESH_TYP = 'svc-rfr+jwt'
/** Lifetime of a refresh, in seconds: the grace period of a host without the service, three days. */
export const REFRESH_SECONDS = 3 * 86_400

/** The facts that a refresh tells (docs/reference/cryptography.md). */
export interface RefreshFacts {
  readonly issuer: string
  readonly licenseId: string
  readonly fingerprint: string
  readonly tokenId: string
  /** Rises with each heartbeat of the host. */
  readonly seq: number
  readonly now: Date
  readonly drained: boolean
  /** Jobs of this host that should stop. */
  readonly cancel: readonly string[]
}

/**
 * The claims of a refresh, bound to the fingerprint. Only a validly signed one advances the offline-grace
 * clock.
 */
export function refreshClaims(facts: RefreshFacts) {
  const iat = Math.floor(facts.now.getTime() / 1000)
  return {
    iss: facts.issuer,
    aud: AGENT_AUDIENCE,
    sub: facts.licenseId,
    fp: facts.fingerprint,
    iat,
    exp: iat + REFRESH_SECONDS,
    jti: facts.tokenId,
    seq: facts.seq,
    st: facts.drained ? 'drained' : 'active',
    next: HEARTBEAT_SECONDS,
    ...(facts.cancel.length > 0 ? { cancel: facts.cancel } : {}),
  }
}
