import type { User } from '../users/users-store.ts'

/** Longest duration of a session, in seconds. */
export const SESSION_SECONDS = 12 * 3600
/** Duration of a session without a request, in seconds. */
export const IDLE_SECONDS = 2 * 3600
/** How long an ended session is kept for investigations, in days. */
export const ENDED_DAYS = 30
/** The last use of a session is updated only if it is older than this, in seconds. */
export const TOUCH_SECONDS = 60

const PUBLIC_ID_CHARS = 16

/** Returns the public id of a session: the beginning of its digest, which does not give access to it. */
export const sessionPublicId = (digest: string): string => digest.slice(0, PUBLIC_ID_CHARS)

/** A new session. */
export interface NewSession {
  /** SHA-256 of the session id, in hex. The id itself is never stored. */
  readonly digest: string
  readonly userId: string
  /** Whether an operator opened the session, which then needs no second factor. */
  readonly minted?: boolean
}

/** A session that is not revoked, expired, or idle for too long. */
export interface LiveSession {
  /** `sessionPublicId` of its digest. */
  readonly id: string
  readonly createdAt: Date
  /** Accurate to a minute; see `TOUCH_SECONDS`. */
  readonly lastUsedAt: Date
  readonly expiresAt: Date
}

/** The user of a live session, and whether an operator opened it. */
export interface UsedSession {
  readonly user: User
  readonly minted: boolean
}

/** Selection of sessions of a user to end. */
export interface OtherSessions {
  readonly userId: string
  /** Digest of the session to keep. */
  readonly kept: string
  /** Public id of the only session to end. If undefined, all end. */
  readonly id: string | undefined
}

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly sessions: SessionsStore
  }
}

/** Storage of users' sessions. */
export interface SessionsStore {
  /** Opens a session. Returns its latest end. */
  open(session: NewSession, now?: Date): Promise<Date>
  /** Returns the user of a live session and records the use; undefined if the user is disabled. */
  use(digest: string, now?: Date): Promise<UsedSession | undefined>
  /** Returns the live sessions of a user, newest first. */
  live(userId: string, now?: Date): Promise<readonly LiveSession[]>
  revoke(digest: string, now?: Date): Promise<void>
  /** Ends live sessions of a user, never the kept one. Returns the number of ended sessions. */
  revokeOthers(others: OtherSessions, now?: Date): Promise<number>
  /** Ends every session of a user. Returns the number of ended sessions. */
  revokeAll(userId: string, now?: Date): Promise<number>
  /**
   * Deletes sessions that expired more than `keptDays` days ago, even if they were revoked earlier. Returns
   * their number.
   */
  purge(keptDays: number, now?: Date): Promise<number>
}
