import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { Problem } from '../problem.ts'
import type { SecondFactors } from '../second-factors/second-factors.ts'
import type { MintedSession, SessionCaller, Sessions } from '../sessions/sessions.ts'
import { type LiveSession, sessionPublicId } from '../sessions/sessions-store.ts'
import type { Storage } from '../storage/storage.ts'
import { sayBusy } from '../users/passwords.ts'
import type { User } from '../users/user.ts'
import type { Users } from '../users/users.ts'

/** What `Accounts` is built from. */
export interface AccountsParts {
  readonly storage: Storage
  readonly clock: Clock
  /** Told who changed what: by id, never what was typed. */
  readonly log: Log
  readonly users: Users
  readonly sessions: Sessions
  readonly secondFactors: Pick<SecondFactors, 'proofOf' | 'spend'>
}

/** Proof of a person who is signed in already, for acts that take more than a session. */
export interface CurrentCredentials {
  /** The current password. */
  readonly current: string
  /** A one-time code or a recovery code: for those who have a second factor. */
  readonly code?: string | undefined
}

/** One of the caller's sessions. */
export interface OwnSession extends LiveSession {
  /** Whether it is the one that asks. */
  readonly current: boolean
}

/** What people do with their own account: only ever that of the session they come with. */
export class Accounts {
  readonly #parts: AccountsParts

  constructor(parts: AccountsParts) {
    this.#parts = parts
  }

  /**
   * Changes the caller's password and ends all their sessions; the answer is a fresh one.
   * @throws Problem `unauthorized` when `current` is wrong, `conflict` without a password, `invalid-input`
   * for a new one that is too easy to guess, `unavailable` while too many are checked at once
   */
  async changePassword({ user }: SessionCaller, current: string, password: string): Promise<MintedSession> {
    const { users, sessions, log } = this.#parts
    const formerHash = await this.#confirm(user, current)
    const changed = await users.replacePassword(user, formerHash, password).catch(sayBusy)
    log.info({ user: user.id }, 'password changed')
    return sessions.mint(changed)
  }

  /** The caller's live sessions, the newest first. */
  async sessions({ user, digest }: SessionCaller): Promise<readonly OwnSession[]> {
    const { storage, clock } = this.#parts
    const own = sessionPublicId(digest)
    const live = await storage.sessions.live(user.id, clock.forStores())
    return live.map((session) => ({ ...session, current: session.id === own }))
  }

  /**
   * Ends the caller's session of this public id, or without one all but the one that asks; how many.
   * @throws Problem as `changePassword`; `conflict` for the one that asks; `not-found` when no live one of
   * theirs is called so
   */
  async endSessions({ user, digest }: SessionCaller, current: string, id?: string): Promise<number> {
    const { storage, clock, log } = this.#parts
    await this.#confirm(user, current)
    if (id === sessionPublicId(digest))
      throw new Problem('conflict', { detail: 'this is the session in use: sign out to end it' })
    const ended = await storage.sessions.revokeOthers(
      { userId: user.id, kept: digest, id },
      clock.forStores(),
    )
    if (id !== undefined && ended === 0)
      throw new Problem('not-found', { detail: 'you have no such session, or it is over' })
    log.info({ user: user.id, ended }, 'own sessions ended')
    return ended
  }

  /**
   * Lets pass whoever knows the caller's password, and brings a code when the caller has a second factor. The
   * code is used up.
   * @throws Problem `unauthorized` when one of them is wrong, `conflict` without a password, `unavailable`
   * while too many are checked at once
   */
  async confirm({ user }: SessionCaller, { current, code }: CurrentCredentials): Promise<void> {
    const { users, secondFactors, log } = this.#parts
    const proof = await secondFactors.proofOf(user, code)
    const isRight = (await users.confirm(user, current)) !== undefined
    if (isRight && (await secondFactors.spend(user, proof))) return
    log.info({ user: user.id, by: 'password' }, 'confirmation refused')
    throw new Problem('unauthorized', { detail: 'the current password or the code is wrong' })
  }

  /** Whether it is them: the hash of the password that showed it. */
  async #confirm(user: User, current: string): Promise<string> {
    const { users, log } = this.#parts
    const hash = await users.confirm(user, current)
    if (hash !== undefined) return hash
    log.info({ user: user.id, by: 'password' }, 'confirmation refused')
    throw new Problem('unauthorized', { detail: 'the current password is wrong' })
  }
}
