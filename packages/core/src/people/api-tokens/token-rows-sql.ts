import type { Session } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { TOUCH_SECONDS } from '../sessions/sessions-store.ts'

/** A table of tokens, with the columns `id`, `digest`, `revoked_at` and `last_used_at`. */
export interface TokenTable<Token> {
  readonly table: string
  /** The beginning of the names of its statements. */
  readonly name: string
  /** Whether a token may end by itself: the column `expires_at`. */
  readonly expires: boolean
  readonly read: (row: object) => Token
}

/** The life of tokens of one kind after they were made. */
export interface TokenRows<Token> {
  /**
   * Returns the token with this digest if it is neither revoked nor expired, and records the use, at most
   * once a minute.
   */
  use(session: Session, digest: string, now?: Date): Promise<Token | undefined>
  /** Revokes a token for good. Returns undefined if there is none with this id, or it is revoked already. */
  revoke(session: Session, id: string, now?: Date): Promise<Token | undefined>
  /** Deletes tokens that ended more than `keptDays` days ago. Returns their number. */
  purge(session: Session, keptDays: number, now?: Date): Promise<number>
}

/** Returns the statements of a table of tokens. */
export function tokensIn<Token>({ table, name, expires, read }: TokenTable<Token>): TokenRows<Token> {
  const isLive = `revoked_at is null${expires ? ` and (expires_at is null or expires_at > ${at('$2')})` : ''}`
  const endedAt = expires ? 'least(revoked_at, expires_at)' : 'revoked_at'
  // The condition on the last use stands in the update too: one of several concurrent requests writes.
  const use = {
    name: `${name}-use`,
    text: `with live as (select * from ${table} where digest = $1 and ${isLive}
      ), touched as (
        update ${table} t set last_used_at = ${at('$2')} from live where t.id = live.id
          and (t.last_used_at is null or t.last_used_at < ${at('$2')} - make_interval(secs => ${TOUCH_SECONDS})))
      select * from live`,
  }
  const revoke = {
    name: `${name}-revoke`,
    text: `update ${table} set revoked_at = ${at('$2')} where id = $1 and revoked_at is null returning *`,
  }
  const purge = {
    name: `${name}-purge`,
    text: `with gone as (
        delete from ${table} where ${endedAt} < ${at('$2')} - make_interval(days => $1) returning 1)
      select count(*)::int as purged from gone`,
  }
  return {
    use: async (session, digest, now) => (await session.rows<object>(use, [digest, now])).map(read)[0],
    revoke: async (session, id, now) => (await session.rows<object>(revoke, [id, now])).map(read)[0],
    purge: async (session, keptDays, now) => {
      const [row] = await session.rows<{ purged: number }>(purge, [keptDays, now])
      return row?.purged ?? 0
    },
  }
}
