import type { Log } from '../../kernel/log.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Base } from '../../platform/base.ts'
import { clientCrowd } from '../../platform/net/client-network.ts'
import { MAX_PASSWORD_CHARS, sayBusy } from '../../platform/passwords/passwords.ts'
import { secretDigest } from '../../platform/signing/same-secret.ts'
import type { SecondFactors } from '../second-factors/second-factors.ts'
import { normalEmail, type User } from '../users/users-store.ts'
import { FIRST_CODE_SECONDS, isFirstCode, sealFirstCode } from './first-code.ts'
import {
  FORM_NONCE_BYTES,
  openForm,
  SESSION_COOKIE,
  SESSION_ID_BYTES,
  sealForm,
  sealSession,
  sessionIdOf,
} from './session-cookie.ts'
import { ENDED_DAYS, SESSION_SECONDS } from './sessions-store.ts'

/** Dependencies of `Sessions`. */
export interface SessionsParts extends Pick<Base, 'storage' | 'clock' | 'ids' | 'ownSecrets' | 'passwords'> {
  /** Log of every sign-in and its outcome: it gets user ids, never input. */
  readonly log: Log
  /**
   * The first secret signs, all verify. If none is set and none is made up, every cookie is refused and
   * sign-in is closed.
   */
  readonly secrets: readonly string[]
  /** Whether the cookie is sent over https only. */
  readonly secure: boolean
  readonly secondFactors: Pick<SecondFactors, 'proofOf' | 'spend' | 'mustSetUp'>
}

/** A new session. */
export interface MintedSession {
  /** `svc_session=v1.…`, for a `Cookie` header. */
  readonly cookie: string
  /** The `Set-Cookie` value that stores the cookie in a browser. */
  readonly setCookie: string
  readonly expires: Date
  readonly user: User
}

/** The user of a request, and the session that it came with. */
export interface SessionCaller {
  readonly user: User
  readonly digest: string
  /** Set if an operator opened the session, without credentials of the user. */
  readonly minted?: true
  /** Set if the user needs a second factor but has none: they can only set it up or sign out. */
  readonly mustSetUp?: true
}

/** Signed sessions of users (docs/operators.md). */
export class Sessions {
  readonly #parts: SessionsParts
  readonly #secrets: readonly string[]

  constructor(parts: SessionsParts) {
    this.#parts = parts
    const own = parts.ownSecrets ? [parts.ids.secret(SESSION_ID_BYTES)] : []
    this.#secrets = parts.secrets.length > 0 ? parts.secrets : own
  }

  /** Whether sessions can be opened at all. */
  get isOpen(): boolean {
    return this.#secrets.length > 0
  }

  /** Deletes sessions that ended long ago. Returns their number. */
  purge(): Promise<number> {
    const { storage, clock } = this.#parts
    return storage.sessions.purge(ENDED_DAYS, clock.statementTime())
  }

  /**
   * Returns the live session of a `Cookie` header. It checks the signature, then the row, its age and the
   * user.
   */
  async authenticate(cookieHeader: string | undefined): Promise<SessionCaller | undefined> {
    const id = sessionIdOf(cookieHeader, this.#secrets)
    if (id === undefined) return undefined
    const digest = secretDigest(id)
    const used = await this.#parts.storage.sessions.use(digest, this.#parts.clock.statementTime())
    if (used === undefined) return undefined
    const { user, minted } = used
    const mustSetUp = await this.#parts.secondFactors.mustSetUp(user, digest)
    return { user, digest, ...(minted && { minted }), ...(mustSetUp && { mustSetUp }) }
  }

  /**
   * Signs in. Unknown users, wrong passwords, and wrong or missing codes of users with a second factor look
   * the same, even in the time taken: each case does the same work. A session in `cookieHeader` ends, since
   * the new one replaces it. `address` is the client's: sign-ins from one network wait behind each other.
   * @throws Problem `unauthorized`, or `unavailable` while sign-in is closed or too many are being checked
   */
  async login(
    email: string,
    password: string,
    cookieHeader?: string,
    code?: string,
    address = '',
  ): Promise<MintedSession> {
    this.#secret()
    const { storage, log, passwords, secondFactors } = this.#parts
    const known = await storage.users.credentials(normalEmail(email))
    const proof = await secondFactors.proofOf(known?.user, code)
    const tried = password.slice(0, MAX_PASSWORD_CHARS)
    const isRight = await passwords.check(tried, known?.passwordHash, clientCrowd(address)).catch(sayBusy)
    const user = isRight && known?.user.disabledAt === undefined ? known?.user : undefined
    const isProven = await secondFactors.spend(user, proof)
    if (user === undefined || !isProven) {
      const reason = user === undefined ? 'password' : 'second factor'
      log.info({ user: known?.user.id ?? 'unknown', by: 'password', reason }, 'sign-in refused')
      throw new Problem('unauthorized')
    }
    const former = await this.authenticate(cookieHeader)
    if (former !== undefined) await this.logout(former.digest)
    log.info({ user: user.id, by: 'password' }, 'signed in')
    return this.mint(user)
  }

  /**
   * Opens a session for a user without a sign-in. `byOperator`: an operator on the machine or with
   * platform.admin vouches for the user, and the session needs no second factor.
   * @throws Problem `unavailable` while sign-in is closed, `conflict` if the user is disabled
   */
  async mint(user: User, { byOperator = false } = {}): Promise<MintedSession> {
    const { storage, clock, ids, secure } = this.#parts
    const secret = this.#secret()
    if (user.disabledAt !== undefined) throw new Problem('conflict', { detail: `${user.email} is disabled` })
    const id = ids.secret(SESSION_ID_BYTES)
    const expires = await storage.sessions.open(
      { digest: secretDigest(id), userId: user.id, minted: byOperator },
      clock.statementTime(),
    )
    const cookie = `${SESSION_COOKIE}=${sealSession(id, secret)}`
    return { cookie, setCookie: `${cookie}${attributes(SESSION_SECONDS, secure)}`, expires, user }
  }

  /**
   * Returns a new token for a form that the session of a `Cookie` header gets. Every form has another, so
   * that compressed pages tell nothing of it; undefined without a session.
   */
  formToken(cookieHeader: string | undefined): string | undefined {
    const id = sessionIdOf(cookieHeader, this.#secrets)
    return id === undefined ? undefined : sealForm(id, this.#parts.ids.secret(FORM_NONCE_BYTES))
  }

  /** Returns the nonce of a form's token if this session got the form: the name of the form's one sending. */
  formNonce(cookieHeader: string | undefined, token: string): string | undefined {
    const id = sessionIdOf(cookieHeader, this.#secrets)
    return id === undefined ? undefined : openForm(token, id)
  }

  /**
   * Returns a code that lets its holder become the first administrator (`Accounts.setUp`).
   * @throws Problem `unavailable` while sign-in is closed
   */
  firstCode(): { readonly code: string; readonly expires: Date } {
    const expires = new Date(this.#parts.clock.now().getTime() + FIRST_CODE_SECONDS * 1000)
    return { code: sealFirstCode(expires, this.#secret()), expires }
  }

  /** Whether `code` is one of `firstCode` whose time has not passed. */
  isFirstCode(code: string): boolean {
    return isFirstCode(code, this.#secrets, this.#parts.clock.now())
  }

  /** Ends a session. Returns the `Set-Cookie` value that removes it from the browser. */
  async logout(digest: string): Promise<string> {
    await this.#parts.storage.sessions.revoke(digest, this.#parts.clock.statementTime())
    return `${SESSION_COOKIE}=${attributes(0, this.#parts.secure)}`
  }

  /** Ends every session of a user. Returns the number of ended sessions. */
  revokeAll(user: User): Promise<number> {
    return this.#parts.storage.sessions.revokeAll(user.id, this.#parts.clock.statementTime())
  }

  #secret(): string {
    const [secret] = this.#secrets
    if (secret !== undefined) return secret
    throw new Problem('unavailable', {
      detail: 'sign-in is closed here: set SERVICE_SESSION_SECRET, as the service has it',
    })
  }
}

const attributes = (maxAge: number, secure: boolean): string =>
  `; HttpOnly; SameSite=Lax; Path=/; Max-Age=${maxAge}${secure ? '; Secure' : ''}`
