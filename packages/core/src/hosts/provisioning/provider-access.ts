import type { Base } from '../../platform/base.ts'
import { placeOf } from '../../platform/secrets/secrets-store.ts'
import { secretDigest } from '../../platform/signing/same-secret.ts'
import { type Credential, isVerified } from './credential.ts'
import { PROVIDERS, type ProviderName } from './order.ts'
import type { OpenProvider, ProviderSession } from './server-provider.ts'

/** Dependencies of `ProviderAccess`. */
export interface ProviderAccessParts extends Pick<Base, 'storage' | 'clock' | 'keyring'> {
  readonly open: OpenProvider
  /** Tokens of the settings; they come before stored ones. */
  readonly tokens: Readonly<Partial<Record<ProviderName, string>>>
  readonly maxAgeHours: number
}

/** A token with its known state. */
export interface KnownToken {
  readonly provider: ProviderName
  readonly token: string
  readonly fingerprint: string
  readonly source: 'settings' | 'stored'
  readonly credential: Credential | undefined
}

/** The tokens of providers, and sessions with them. */
export class ProviderAccess {
  readonly #parts: ProviderAccessParts

  constructor(parts: ProviderAccessParts) {
    this.#parts = parts
  }

  /** Returns the tokens that there are, by provider. @throws Problem `secrets-not-configured` */
  async tokens(): Promise<ReadonlyMap<ProviderName, KnownToken>> {
    const { storage, keyring, tokens } = this.#parts
    const rows = new Map((await storage.provisioning.credentials()).map((row) => [row.provider, row]))
    const found = PROVIDERS.flatMap((provider): [ProviderName, KnownToken][] => {
      const credential = rows.get(provider)
      const sealed = credential?.tokenEnc
      const set = tokens[provider]
      const token =
        set ?? (sealed === undefined ? undefined : keyring.open(sealed, placeOf('providerTokens', provider)))
      if (token === undefined) return []
      const source = set === undefined ? 'stored' : 'settings'
      return [[provider, { provider, token, fingerprint: secretDigest(token), source, credential }]]
    })
    return new Map(found)
  }

  /** Whether new servers may be made with a token: it was seen to be good lately. */
  isFresh(known: KnownToken | undefined): boolean {
    const { clock, maxAgeHours } = this.#parts
    if (known === undefined) return false
    const { credential, fingerprint } = known
    return isVerified(credential, { fingerprint, maxAgeHours, now: clock.now() })
  }

  /** Whether servers may be taken away with a token: it was seen to be good at any time. */
  isKnown(known: KnownToken | undefined): boolean {
    return known?.credential?.state === 'verified' && known.credential.fingerprint === known.fingerprint
  }

  /** Opens a session with a token. */
  session({ provider, token }: KnownToken): ProviderSession {
    return this.#parts.open(provider, token)
  }
}
