import type { User } from '../users/user.ts'

/** How long a session lasts at most, in seconds. */
export const SESSION_SECONDS = 12 * 3600
/** How long a session lasts without a request, in seconds. */
export const IDLE_SECONDS = 2 * 3600
/** How long one that is over is kept, in days: for whoever looks into what happened. */
export const ENDED_DAYS = 30
/** A session's last use is written anew only when older than this, in seconds. */
export const TOUCH_SECONDS = 60

const PUBLIC_ID_CHARS = 16

/** What people call a session by: the beginning of its digest, from which nobody gets to the session. */
export const sessionPublicId = (digest: string): string => digest.slice(0, PUBLIC_ID_CHARS)

/** A session to be stored. */
export interface NewSession {
  /** SHA-256 of the session id, hex: the id itself is kept nowhere. */
  readonly digest: string
  readonly userId: string
  /** An operator opened it: no second factor is demanded of it. */
  readonly minted?: boolean
}

/** A session that is neither revoked, nor over, nor idle too long. */
export interface LiveSession {
  /** `sessionPublicId` of its digest. */
  readonly id: string
  readonly createdAt: Date
  /** Right to the minute: see `TOUCH_SECONDS`. */
  readonly lastUsedAt: Date
  readonly expiresAt: Date
}

/** The user of a live session, and whether an operator opened it. */
export interface UsedSession {
  readonly user: User
  readonly minted: boolean
}

/** Which sessions of a user end. */
export interface OtherSessions {
  readonly userId: string
  /** Digest of the one that goes on. */
  readonly kept: string
  /** Public id of the only one to end; undefined: all. */
  readonly id: string | undefined
}

/** Sessions of people. */
export interface SessionsStore {
  /** Opens a session; when it ends at the latest. */
  open(session: NewSession, now?: Date): Promise<Date>
  /** The active user of a session that is neither revoked, nor over, nor idle too long; notes the use. */
  use(digest: string, now?: Date): Promise<UsedSession | undefined>
  /** The live sessions of a user, the newest first. */
  live(userId: string, now?: Date): Promise<readonly LiveSession[]>
  revoke(digest: string, now?: Date): Promise<void>
  /** Ends live sessions of a user, never the one that is kept; how many. */
  revokeOthers(others: OtherSessions, now?: Date): Promise<number>
  /** Ends every session of a user; how many. */
  revokeAll(userId: string, now?: Date): Promise<number>
  /**
   * Forgets those whose twelve hours were over more than `keptDays` days ago, ended before or not; how many.
   */
  purge(keptDays: number, now?: Date): Promise<number>
}
