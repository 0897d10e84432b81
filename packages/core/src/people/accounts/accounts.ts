import { unixSeconds } from '../../kernel/clock.ts'
import type { Log } from '../../kernel/log.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Base } from '../../platform/base.ts'
import { sayBusy } from '../../platform/passwords/passwords.ts'
import type { SecondFactors } from '../second-factors/second-factors.ts'
import type { MintedSession, SessionCaller, Sessions } from '../sessions/sessions.ts'
import { type LiveSession, sessionPublicId } from '../sessions/sessions-store.ts'
import type { Users } from '../users/users.ts'
import type { User } from '../users/users-store.ts'

/** Dependencies of `Accounts`. */
export interface AccountsParts extends Pick<Base, 'storage' | 'clock'> {
  /** Log of changes: it gets user ids, never input. */
  readonly log: Log
  readonly users: Users
  readonly sessions: Sessions
  readonly secondFactors: Pick<SecondFactors, 'proofOf' | 'spend'>
}

/** Credentials of a user who is signed in, for operations that need more than a session. */
export interface CurrentCredentials {
  /** The current password. */
  readonly current: string
  /** A one-time code or a recovery code, for users with a second factor. */
  readonly code?: string | undefined
}

/** One of the caller's sessions. */
export interface OwnSession extends LiveSession {
  /** Whether the request came with this session. */
  readonly current: boolean
}

/** Returns one of the caller's sessions as they see it; instants in unix seconds. */
export const sessionView = ({ id, createdAt, lastUsedAt, expiresAt, current }: OwnSession) => ({
  id,
  created_at: unixSeconds(createdAt),
  last_used_at: unixSeconds(lastUsedAt),
  expires_at: unixSeconds(expiresAt),
  current,
})
/** One of the caller's sessions as they see it. */
export type SessionView = ReturnType<typeof sessionView>

/** Actions of users on their own account: always the account of their session. */
export class Accounts {
  readonly #parts: AccountsParts

  constructor(parts: AccountsParts) {
    this.#parts = parts
  }

  /**
   * Makes the first administrator for the holder of a one-time code, and signs them in.
   * @throws Problem `unauthorized` for a code that is wrong or too old, `not-found` if there is an
   * administrator, and as `Users.addFirst`
   */
  async setUp(code: string, email: string, password: string): Promise<MintedSession> {
    const { users, sessions, log } = this.#parts
    if (await users.hasFirst()) throw new Problem('not-found')
    if (!sessions.isFirstCode(code))
      throw new Problem('unauthorized', {
        detail: 'the code is wrong or too old: svc users first-code prints another one',
      })
    const user = await users.addFirst(email, password).catch(sayBusy)
    log.info({ user: user.id }, 'first administrator')
    return sessions.mint(user)
  }

  /**
   * Changes the caller's password and ends all their sessions. Returns a new session.
   * @throws Problem `unauthorized` if `current` is wrong, `conflict` without a password, `invalid-input` for
   * a new password that is too easy to guess, `unavailable` while too many are being checked
   */
  async changePassword({ user }: SessionCaller, current: string, password: string): Promise<MintedSession> {
    const { users, sessions, log } = this.#parts
    const formerHash = await this.#confirm(user, current)
    const changed = await users.replacePassword(user, formerHash, password).catch(sayBusy)
    log.info({ user: user.id }, 'password changed')
    return sessions.mint(changed)
  }

  /** Returns the caller's live sessions, newest first. */
  async sessions({ user, digest }: SessionCaller): Promise<readonly OwnSession[]> {
    const { storage, clock } = this.#parts
    const own = sessionPublicId(digest)
    const live = await storage.sessions.live(user.id, clock.statementTime())
    return live.map((session) => ({ ...session, current: session.id === own }))
  }

  /**
   * Ends the caller's session with this public id, or without one all but the session of the request. Returns
   * the number of ended sessions.
   * @throws Problem as `changePassword`; `conflict` for the session of the request; `not-found` if the caller
   * has no live session with this id
   */
  async endSessions({ user, digest }: SessionCaller, current: string, id?: string): Promise<number> {
    const { storage, clock, log } = this.#parts
    await this.#confirm(user, current)
    if (id === sessionPublicId(digest))
      throw new Problem('conflict', { detail: 'this is the session in use: sign out to end it' })
    const ended = await storage.sessions.revokeOthers(
      { userId: user.id, kept: digest, id },
      clock.statementTime(),
    )
    if (id !== undefined && ended === 0)
      throw new Problem('not-found', { detail: 'you have no such session, or it is over' })
    log.info({ user: user.id, ended }, 'own sessions ended')
    return ended
  }

  /**
   * Checks the caller's password, and the code if they have a second factor. The code is used up.
   * @throws Problem `unauthorized` if one of them is wrong, `conflict` without a password, `unavailable`
   * while too many are being checked
   */
  async confirm({ user }: SessionCaller, { current, code }: CurrentCredentials): Promise<void> {
    const { users, secondFactors, log } = this.#parts
    const proof = await secondFactors.proofOf(user, code)
    const isRight = (await users.confirm(user, current)) !== undefined
    if (isRight && (await secondFactors.spend(user, proof))) return
    log.info({ user: user.id, by: 'password' }, 'confirmation refused')
    throw new Problem('unauthorized', { detail: 'the current password or the code is wrong' })
  }

  /** Checks the user's password and returns its hash. @throws Problem `unauthorized` */
  async #confirm(user: User, current: string): Promise<string> {
    const { users, log } = this.#parts
    const hash = await users.confirm(user, current)
    if (hash !== undefined) return hash
    log.info({ user: user.id, by: 'password' }, 'confirmation refused')
    throw new Problem('unauthorized', { detail: 'the current password is wrong' })
  }
}
