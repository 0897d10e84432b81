import { TOUCH_SECONDS } from '@svc/core/ports'
import type { MemoryTable } from '../../memory-table.ts'

/** A token of any kind as the fakes store it. */
export interface MemoryToken {
  readonly id: string
  readonly digest: string
  readonly expiresAt?: Date | undefined
  readonly revokedAt: Date | undefined
  readonly lastUsedAt: Date | undefined
}

const DAY_MS = 86_400_000

/** The life of tokens in memory after they were made. */
export class MemoryTokens<Token extends MemoryToken> {
  readonly #table: MemoryTable<Token>

  constructor(table: MemoryTable<Token>) {
    this.#table = table
  }

  /** Returns the tokens that are not revoked. */
  live(): Token[] {
    return this.#table.all().filter(({ revokedAt }) => revokedAt === undefined)
  }

  /** Stores a token. @throws Error when there is one with its id or digest */
  add(token: Token): Token {
    if (this.#table.all().some(({ id, digest }) => digest === token.digest || id === token.id))
      throw new Error('there is a token with this id or digest already')
    this.#table.put(token.id, token)
    return token
  }

  /** Returns a good token, and records its use, at most once a minute. */
  use(digest: string, now: Date): Token | undefined {
    const token = this.live().find((each) => each.digest === digest)
    if (token === undefined || (token.expiresAt !== undefined && token.expiresAt <= now)) return undefined
    const { lastUsedAt } = token
    if (lastUsedAt === undefined || now.getTime() - lastUsedAt.getTime() > TOUCH_SECONDS * 1000)
      this.#table.put(token.id, { ...token, lastUsedAt: now })
    return token
  }

  /** Revokes a token, and returns it; undefined if there is none, or it is revoked already. */
  revoke(id: string, now: Date): Token | undefined {
    const token = this.live().find((each) => each.id === id)
    if (token !== undefined) this.#table.put(id, { ...token, revokedAt: now })
    return token
  }

  /** Deletes tokens that ended more than `keptDays` days ago. */
  purge(keptDays: number, now: Date): number {
    const until = now.getTime() - keptDays * DAY_MS
    const gone = this.#table.all().filter(({ revokedAt, expiresAt }) => {
      const ends = [revokedAt, expiresAt].filter((end) => end !== undefined).map(Number)
      return ends.length > 0 && Math.min(...ends) < until
    })
    for (const { id } of gone) this.#table.put(id, undefined)
    return gone.length
  }
}

/** Returns what people see of a token, where there is one. */
export const maybe = <Token, Shown>(shown: (token: Token) => Shown, token: Token | undefined) =>
  token === undefined ? undefined : shown(token)
