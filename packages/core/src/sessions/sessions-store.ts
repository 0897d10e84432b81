import type { User } from '../users/user.ts'

/** How long a session lasts at most, in seconds. */
export const SESSION_SECONDS = 12 * 3600
/** How long a session lasts without a request, in seconds. */
export const IDLE_SECONDS = 2 * 3600
/** A session's last use is written anew only when older than this, in seconds. */
export const TOUCH_SECONDS = 60

/** A session to be stored. */
export interface NewSession {
  /** SHA-256 of the session id, hex: the id itself is kept nowhere. */
  readonly digest: string
  readonly userId: string
}

/** Sessions of people. */
export interface SessionsStore {
  /** Opens a session; when it ends at the latest. */
  open(session: NewSession, now?: Date): Promise<Date>
  /** The active user of a session that is neither revoked, nor over, nor idle too long; notes the use. */
  use(digest: string, now?: Date): Promise<User | undefined>
  revoke(digest: string, now?: Date): Promise<void>
  /** Ends every session of a user; how many. */
  revokeAll(userId: string, now?: Date): Promise<number>
}
