import type { ProviderName } from './order.ts'

/** States of a token. */
export const CREDENTIAL_STATES = ['unverified', 'verified', 'invalid'] as const
export type CredentialState = (typeof CREDENTIAL_STATES)[number]

/** Knowledge about the token of a provider. */
export interface Credential {
  readonly provider: ProviderName
  /** The token, sealed; undefined if it comes from the settings. */
  readonly tokenEnc: string | undefined
  /** SHA-256 of the token that the state is about. */
  readonly fingerprint: string
  readonly state: CredentialState
  readonly verifiedAt: Date | undefined
  /** Until when the provider wants no calls. */
  readonly rateResetAt: Date | undefined
}

/** Whether a credential may be used for new servers: this very token, and seen to be good lately. */
export function isVerified(
  credential: Credential | undefined,
  { fingerprint, maxAgeHours, now }: { fingerprint: string; maxAgeHours: number; now: Date },
): boolean {
  if (credential?.state !== 'verified' || credential.fingerprint !== fingerprint) return false
  const { verifiedAt } = credential
  return verifiedAt !== undefined && now.getTime() - verifiedAt.getTime() <= maxAgeHours * 3_600_000
}
