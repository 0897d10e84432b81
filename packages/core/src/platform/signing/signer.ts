import { Problem } from '../../kernel/problem.ts'
import { type JwkSet, jwkSet, parsePublicKey } from './json-web-key.ts'
import { KeyRefused } from './key-text.ts'
import { signToken, signTokenOnThread, type TokenClaims, type TokenType } from './signed-token.ts'
import { parseSigningKey, type SigningKey, signingKeyFromSeed } from './signing-key.ts'
import { signSmallToken } from './small-token.ts'

/** State of the signing key: not set, set but unreadable, or in use. */
export type SignerStatus = 'unset' | 'unusable' | 'ready'

/** Key texts from the settings. */
export interface SignerKeys {
  /** `SERVICE_LICENSE_PRIVKEY` */
  readonly privateKey?: string | undefined
  /** The entries of `SERVICE_LICENSE_PUBKEYS_RETIRED`. */
  readonly retiredPublicKeys?: readonly string[] | undefined
  /** Keys of other signers of this service, which are published too. */
  readonly published?: JwkSet | undefined
  /** The setting of the private key, for faults. Default: `SERVICE_LICENSE_PRIVKEY`. */
  readonly setting?: string
  /** Whether `signAsync` uses threads. Default: no. */
  readonly threads?: boolean
}

/**
 * The service's signing key. A signer exists under any settings, because a service without a usable key still
 * lets hosts claim jobs and send heartbeats: `status` tells the state, and `sign` throws.
 */
export class Signer {
  readonly status: SignerStatus
  /** Faults of the key texts, for the log, healthz and the system check. They never contain a key. */
  readonly faults: readonly string[]
  readonly #key: SigningKey | undefined
  readonly #jwks: JwkSet
  readonly #threads: boolean

  constructor(keys: SignerKeys = {}) {
    const faults: string[] = []
    const { privateKey, retiredPublicKeys = [], published, threads = false } = keys
    const { setting = 'SERVICE_LICENSE_PRIVKEY' } = keys
    this.#threads = threads
    this.#key = privateKey ? readOr(faults, setting, () => parseSigningKey(privateKey)) : undefined
    const retired = retiredPublicKeys.map((text, index) =>
      readOr(faults, entryOf(index), () => parsePublicKey(text)),
    )
    const known = [this.#key?.publicKey, ...retired].filter((key) => key !== undefined)
    const good = retired.filter((key, index) => {
      const isSecret = key !== undefined && isSeedOfOne(key, known)
      if (isSecret) faults.push(`${entryOf(index)}: this is a private key`)
      return key !== undefined && !isSecret
    })
    const own = jwkSet([this.#key?.publicKey, ...good].filter((key) => key !== undefined))
    const others = (published?.keys ?? []).filter(({ kid }) => own.keys.every((key) => key.kid !== kid))
    this.#jwks = { keys: [...own.keys, ...others] }
    this.status = this.#key ? 'ready' : privateKey ? 'unusable' : 'unset'
    this.faults = faults
  }

  /** The `kid` of the current key, if there is one. */
  get kid(): string | undefined {
    return this.#key?.kid
  }

  /**
   * Signs a token with the current key. Throws `Problem('signing-not-configured')` if no key is set, and
   * `Problem('signing-failed')` if the key is unusable or signing failed.
   */
  sign(typ: TokenType, claims: TokenClaims): string {
    const key = this.#usableKey()
    try {
      return signToken(key, typ, claims)
    } catch (cause) {
      throw new Problem('signing-failed', {}, { cause })
    }
  }

  /**
   * Signs like `sign`, but on a thread if enabled, for tokens that are signed often: a signature blocks the
   * event loop for 21 µs, much longer than handing it to a thread.
   */
  async signAsync(typ: TokenType, claims: TokenClaims): Promise<string> {
    if (!this.#threads) return this.sign(typ, claims)
    const key = this.#usableKey()
    try {
      return await signTokenOnThread(key, typ, claims)
    } catch (cause) {
      throw new Problem('signing-failed', {}, { cause })
    }
  }

  /**
   * Signs a small token of a kind, which `prefix` names. Throws as `sign` does.
   */
  signSmall(prefix: string, payload: object): string {
    const key = this.#usableKey()
    try {
      return signSmallToken(key, prefix, payload)
    } catch (cause) {
      throw new Problem('signing-failed', {}, { cause })
    }
  }

  #usableKey(): SigningKey {
    if (this.status === 'unset') {
      throw new Problem('signing-not-configured', {
        detail: 'set SERVICE_LICENSE_PRIVKEY: svc mint-key makes one',
      })
    }
    if (!this.#key)
      throw new Problem('signing-failed', { detail: 'SERVICE_LICENSE_PRIVKEY is not a usable key' })
    return this.#key
  }

  /**
   * Returns the public keys that verify this service's tokens: the current one first, then the retired ones,
   * then other signers'. Empty if there are none.
   */
  jwks(): JwkSet {
    return this.#jwks
  }
}

const entryOf = (index: number): string => `SERVICE_LICENSE_PUBKEYS_RETIRED, entry ${index + 1}`

// Both halves of a key are 32 bytes. A seed among public keys would be published.
function isSeedOfOne(bytes: Uint8Array, publicKeys: readonly Uint8Array[]): boolean {
  const { publicKey } = signingKeyFromSeed(bytes)
  return publicKeys.some((known) => Buffer.from(known).equals(publicKey))
}

function readOr<T>(faults: string[], name: string, read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof KeyRefused)) throw error
    faults.push(`${name}: ${error.message}`)
    return undefined
  }
}
