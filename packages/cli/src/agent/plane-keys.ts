import { type Clock, type TokenType, type TokenVerdict, verificationKeys, verifyToken } from '@svc/core'
import type { AgentApi } from './agent-api.ts'

/** A verdict on a token, or that the plane's keys could not be had just now. */
export type PlaneVerdict = TokenVerdict | { readonly ok: false; readonly reason: 'no-keys' }

/** The audience of every token that is meant for an agent (wire-agent §5). */
const AUDIENCE = 'svc-agent'

/** Shortest time between two looks at the key set, so that a stream of bad tokens does not become a stream of requests. */
const REFETCH_MS = 60_000

/** The plane's public keys, fetched when a token names one that is not known: keys may be rotated at any time. */
export class PlaneKeys {
  readonly #api: AgentApi
  readonly #clock: Clock
  #keys: ReturnType<typeof verificationKeys> | undefined
  #fetchedAt = Number.NEGATIVE_INFINITY

  constructor(api: AgentApi, clock: Clock) {
    this.#api = api
    this.#clock = clock
  }

  /** Checks signature, type, audience and lifetime of `token`. */
  async verify(token: string, typ: TokenType, signal: AbortSignal): Promise<PlaneVerdict> {
    const known = this.#check(token, typ)
    if (known.ok || (known.reason !== 'unknown-key' && known.reason !== 'no-keys')) return known
    await this.#fetch(signal)
    return this.#check(token, typ)
  }

  #check(token: string, typ: TokenType): PlaneVerdict {
    if (!this.#keys) return { ok: false, reason: 'no-keys' }
    return verifyToken(token, { keys: this.#keys, typ, audience: AUDIENCE, now: this.#clock.now() })
  }

  async #fetch(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now().getTime()
    if (this.#keys && Math.abs(now - this.#fetchedAt) < REFETCH_MS) return
    const answer = await this.#api.jwks(signal)
    const keys = (answer.body as { keys?: unknown } | null | undefined)?.keys
    if (answer.status !== 200 || !Array.isArray(keys)) return
    this.#keys = verificationKeys({ keys })
    this.#fetchedAt = now
  }
}
