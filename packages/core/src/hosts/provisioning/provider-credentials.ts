import { Problem } from '../../kernel/problem.ts'
import type { Base } from '../../platform/base.ts'
import { isSendable } from '../../platform/config/shared-secret.ts'
import { placeOf } from '../../platform/secrets/secrets-store.ts'
import { secretDigest } from '../../platform/signing/same-secret.ts'
import type { Credential } from './credential.ts'
import type { ProviderName } from './order.ts'
import type { KnownToken, ProviderAccess } from './provider-access.ts'
import { ProviderFailure } from './server-provider.ts'

/** Dependencies of `ProviderCredentials`. */
export interface ProviderCredentialsParts extends Pick<Base, 'storage' | 'clock' | 'keyring' | 'log'> {
  readonly access: ProviderAccess
  /** Tokens of the settings. */
  readonly tokens: Readonly<Partial<Record<ProviderName, string>>>
  readonly maxAgeHours: number
}

/** A token without the token. */
export interface KnownCredential {
  readonly provider: ProviderName
  readonly source: 'settings' | 'stored'
  readonly fingerprint: string
  readonly credential: Credential | undefined
}

/** Tokens of providers: stored sealed, or named by the settings. Nothing returns one. */
export class ProviderCredentials {
  readonly #parts: ProviderCredentialsParts

  constructor(parts: ProviderCredentialsParts) {
    this.#parts = parts
  }

  /**
   * Stores a token, sealed; it is unverified until `verify`.
   * @throws Problem `invalid-input`, `conflict` if the settings name one, `secrets-not-configured`
   */
  async set(provider: ProviderName, token: string): Promise<void> {
    const { storage, clock, keyring, tokens } = this.#parts
    if (tokens[provider] !== undefined)
      throw new Problem('conflict', {
        detail: `the settings name the token of ${provider}, which comes first`,
      })
    if (!isSendable(token))
      throw new Problem('invalid-input', { details: ['token: expected at most 512 visible characters'] })
    const tokenEnc = keyring.seal(token, placeOf('providerTokens', provider))
    const credential = { provider, tokenEnc, fingerprint: secretDigest(token) }
    await storage.provisioning.setCredential(credential, clock.statementTime())
  }

  /** Forgets a stored token. @throws Problem `not-found` */
  async clear(provider: ProviderName): Promise<void> {
    if (await this.#parts.storage.provisioning.clearCredential(provider)) return
    throw new Problem('not-found', { detail: `no token of ${provider} is stored` })
  }

  /** Returns the known state of every token. */
  async list(): Promise<readonly KnownCredential[]> {
    return [...(await this.#parts.access.tokens()).values()].map(({ token: _, ...known }) => known)
  }

  /**
   * Asks the provider whether the token may read and write, and lets the orders that waited for one go on.
   * @throws Problem `not-found` without a token, `conflict` for one that is not good, `unavailable` if nobody
   * knows
   */
  async verify(provider: ProviderName): Promise<void> {
    const { storage, clock, access, tokens } = this.#parts
    const known = (await access.tokens()).get(provider)
    if (known === undefined)
      throw new Problem('not-found', {
        detail: `no token of ${provider}: svc provision credential set ${provider} stores one`,
      })
    const { fingerprint } = known
    const now = clock.statementTime()
    // A token of the settings has a row only for its known state.
    if (tokens[provider] !== undefined)
      await storage.provisioning.setCredential({ provider, fingerprint, tokenEnc: undefined }, now)
    try {
      await this.#probe(known)
      await storage.provisioning.verified(provider, fingerprint, clock.statementTime())
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error
      if (error.kind !== 'unauthorized')
        throw new Problem('unavailable', { detail: `${provider} could not be asked: ${error.code}` })
      await storage.provisioning.invalidated(provider, fingerprint, error.code, clock.statementTime())
      throw new Problem('conflict', { detail: `${provider} does not take the token: ${error.code}` })
    }
  }

  /** Checks tokens again whose check is half as old as it may become. Failures are logged alone. */
  async refresh(): Promise<void> {
    const { clock, access, log, maxAgeHours } = this.#parts
    for (const known of (await access.tokens()).values()) {
      const { verifiedAt } = known.credential ?? {}
      const ageMs = clock.now().getTime() - (verifiedAt?.getTime() ?? 0)
      if (!access.isKnown(known) || ageMs < (maxAgeHours * 3_600_000) / 2) continue
      const { provider } = known
      await this.verify(provider).catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error
        log.warn({ provider, code: error.code }, 'a token of a provider could not be checked again')
      })
    }
  }

  async #probe(known: KnownToken): Promise<void> {
    const { storage, access, clock } = this.#parts
    const session = access.session(known)
    try {
      await session.provider.probe()
    } finally {
      const until = session.limitedUntil
      if (until !== undefined)
        await storage.provisioning.limited(known.provider, until, clock.statementTime())
    }
  }
}
