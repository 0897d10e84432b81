import { randomBytes } from 'node:crypto'
import type { Clock } from '@svc/core'
import type { TransferToken } from '@svc/core/adapters'
import type { ReleaseSource } from './release-source.ts'
import type { ReleaseTarget } from './release-target.ts'

/** A session that a key opened: of a host that gives a release, or of one that takes it. */
export interface TransferSession {
  readonly token: TransferToken
  readonly app: string
  source?: ReleaseSource
  target?: ReleaseTarget
}

/** A peer that was cut off comes back within this time, without another use of its key. */
const IDLE_MS = 10 * 60_000
const TOKEN_BYTES = 32

/** The open sessions of a host that listens, in memory alone. */
export class Sessions {
  readonly #clock: Clock
  readonly #open = new Map<string, { readonly session: TransferSession; seen: number; uses: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The number of sessions that are open. */
  get size(): number {
    this.#forgetIdle()
    return this.#open.size
  }

  /** Opens a session, and returns the secret that names it. */
  open(session: TransferSession): string {
    this.#forgetIdle()
    const secret = randomBytes(TOKEN_BYTES).toString('base64url')
    this.#open.set(secret, { session, seen: this.#now(), uses: 0 })
    return secret
  }

  /**
   * Works in the session of an `Authorization` header; undefined without one. The session is in use until the
   * work has ended: a large file takes longer than a session may be idle.
   */
  async during<T>(
    authorization: string | undefined,
    work: (session: TransferSession | undefined) => Promise<T>,
  ): Promise<T> {
    this.#forgetIdle()
    const found = this.#open.get(authorization?.replace(/^Bearer /, '') ?? '')
    if (found === undefined) return work(undefined)
    found.uses += 1
    try {
      return await work(found.session)
    } finally {
      found.uses -= 1
      found.seen = this.#now()
    }
  }

  #forgetIdle(): void {
    const oldest = this.#now() - IDLE_MS
    for (const [secret, { seen, uses }] of this.#open)
      if (uses === 0 && seen < oldest) this.#open.delete(secret)
  }

  #now(): number {
    return this.#clock.now().getTime()
  }
}
