import { type Clock, type TokenType, type TokenVerdict, verificationKeys, verifyToken } from '@svc/core'
import type { Answer } from '../../connect/http-client.ts'
import { type AgentApi, isPassing, type Patience } from './agent-api.ts'

/**
 * A verdict on a token; or that the plane publishes no keys, or did not answer for them within the patience.
 */
export type PlaneVerdict = TokenVerdict | { readonly ok: false; readonly reason: 'no-keys' | 'unanswered' }

/** The audience of every token that is meant for an agent (docs/agents.md). */
const AUDIENCE = 'svc-agent'

/**
 * Shortest time between two looks at the key set, so that a stream of bad tokens does not become a stream of
 * requests.
 */
const REFETCH_MS = 60_000

/**
 * The plane's public keys, fetched when a token names one that is not known: keys may be rotated at any time.
 */
export class PlaneKeys {
  readonly #api: AgentApi
  readonly #clock: Clock
  #keys: ReturnType<typeof verificationKeys> | undefined
  #fetchedAt = Number.NEGATIVE_INFINITY

  constructor(api: AgentApi, clock: Clock) {
    this.#api = api
    this.#clock = clock
  }

  /**
   * Checks signature, type, audience and lifetime of `token`. May ask the plane for its keys.
   */
  async verify(token: string, typ: TokenType, patience: Patience): Promise<PlaneVerdict> {
    const known = this.#check(token, typ)
    if (known.ok || (known.reason !== 'unknown-key' && known.reason !== 'no-keys')) return known
    if (this.#isFresh()) return known
    const answer = await this.#api.insist((signal) => this.#api.jwks(signal), patience)
    if (isPassing(answer)) return { ok: false, reason: 'unanswered' }
    this.#learn(answer)
    return this.#check(token, typ)
  }

  #check(token: string, typ: TokenType): PlaneVerdict {
    if (!this.#keys) return { ok: false, reason: 'no-keys' }
    return verifyToken(token, { keys: this.#keys, typ, audience: AUDIENCE, now: this.#clock.now() })
  }

  #isFresh(): boolean {
    return Math.abs(this.#clock.now().getTime() - this.#fetchedAt) < REFETCH_MS
  }

  #learn({ status, body }: Answer): void {
    const { keys } = (body ?? {}) as { keys?: unknown }
    if (status !== 200 || !Array.isArray(keys)) return
    this.#keys = verificationKeys({ keys })
    this.#fetchedAt = this.#clock.now().getTime()
  }
}
