import { Problem } from '../problem.ts'
import { type JwkSet, jwkSet, parsePublicKey } from './json-web-key.ts'
import { KeyRefused } from './key-text.ts'
import { signToken, signTokenOnThread, type TokenClaims, type TokenType } from './signed-token.ts'
import { parseSigningKey, type SigningKey } from './signing-key.ts'

/** Whether the service can sign: no key set, a key set that cannot be read, or a key in use. */
export type SignerStatus = 'unset' | 'unusable' | 'ready'

/** The key texts as the settings carry them. */
export interface SignerKeys {
  /** `SERVICE_LICENSE_PRIVKEY` */
  readonly privateKey?: string | undefined
  /** The entries of `SERVICE_LICENSE_PUBKEYS_RETIRED`. */
  readonly retiredPublicKeys?: readonly string[] | undefined
  /** Whether `signApart` uses threads. Default: no. */
  readonly threads?: boolean
}

/**
 * The service's one signing key. It is made whatever the settings say, because a service without a usable key
 * still claims jobs and takes heartbeats (wire-agent §5): `status` tells, and `sign` refuses.
 */
export class Signer {
  readonly status: SignerStatus
  /** What is wrong with the key texts, for the log, healthz and the system check. Never holds a key. */
  readonly faults: readonly string[]
  readonly #key: SigningKey | undefined
  readonly #jwks: JwkSet
  readonly #threads: boolean

  constructor(keys: SignerKeys = {}) {
    const faults: string[] = []
    const { privateKey, retiredPublicKeys = [], threads = false } = keys
    this.#threads = threads
    this.#key = privateKey
      ? readOr(faults, 'SERVICE_LICENSE_PRIVKEY', () => parseSigningKey(privateKey))
      : undefined
    const retired = retiredPublicKeys.map((text, index) =>
      readOr(faults, `SERVICE_LICENSE_PUBKEYS_RETIRED, entry ${index + 1}`, () => parsePublicKey(text)),
    )
    this.#jwks = jwkSet([this.#key?.publicKey, ...retired].filter((key) => key !== undefined))
    this.status = this.#key ? 'ready' : privateKey ? 'unusable' : 'unset'
    this.faults = faults
  }

  /** The `kid` of the current key, when there is one. */
  get kid(): string | undefined {
    return this.#key?.kid
  }

  /**
   * A token of the current key. Throws `Problem('signing-not-configured')` when no key is set and
   * `Problem('signing-failed')` when the key is unusable or signing itself failed.
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
   * The same beside the event loop, for what is signed all the time: a signature keeps the loop for 21 µs,
   * handing it to a thread for 3.
   */
  async signApart(typ: TokenType, claims: TokenClaims): Promise<string> {
    if (!this.#threads) return this.sign(typ, claims)
    const key = this.#usableKey()
    try {
      return await signTokenOnThread(key, typ, claims)
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
   * The public keys that verify this service's tokens: current first, then retired. Empty when there are
   * none.
   */
  jwks(): JwkSet {
    return this.#jwks
  }
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
