import type { Log } from '../../kernel/log.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Base } from '../../platform/base.ts'
import { placeOf } from '../../platform/secrets/secrets-store.ts'
import type { Users } from '../users/users.ts'
import type { User } from '../users/users-store.ts'
import { otpauthUri, SECRET_BYTES, secretOf, stepOfCode } from './one-time-code.ts'
import { RECOVERY_CODE_BYTES, RECOVERY_CODES, recoveryDigest, spellRecoveryCode } from './recovery-code.ts'
import type { Proof, SecondFactorNow } from './second-factors-store.ts'
import type { SecondFactorDemand } from './settings.ts'

/** Dependencies of `SecondFactors`. */
export interface SecondFactorsParts extends Pick<Base, 'storage' | 'clock' | 'ids' | 'keyring'> {
  /** Log of added, removed and refused second factors: it gets user ids, never input. */
  readonly log: Log
  readonly users: Users
  /** Name of the service in apps: its address, or a name. */
  readonly issuer: string
  /** Users who must have a second factor. */
  readonly demandedOf: SecondFactorDemand
}

/** Secret of a second factor that waits for its first code; shown once. */
export interface Enrolment {
  /** Address for a QR code that apps scan. */
  readonly uri: string
  /** Base32, for users who type it. */
  readonly secret: string
}

/** No user has this id. */
const NOBODY = ''

/** One-time codes of people who sign in with a password (RFC 6238). */
export class SecondFactors {
  readonly #parts: SecondFactorsParts

  constructor(parts: SecondFactorsParts) {
    this.#parts = parts
  }

  /**
   * Makes a secret that has no effect until its first code, which must come within ten minutes. It replaces
   * an unconfirmed one.
   * @throws Problem `unauthorized` for a wrong password, `conflict` without a password or with a confirmed
   * second factor, `secrets-not-configured`
   */
  async begin(user: User, password: string): Promise<Enrolment> {
    const { storage, clock, ids, users, issuer, keyring } = this.#parts
    if ((await users.confirm(user, password)) === undefined)
      throw this.#refused(user, 'the current password is wrong')
    const secret = await secretOf(ids.secret(SECRET_BYTES))
    const sealed = keyring.seal(secret, placeOf('secondFactors', user.id))
    if (!(await storage.secondFactors.begin(user.id, sealed, clock.statementTime()))) {
      throw new Problem('conflict', { detail: 'there is a second factor already: remove it first' })
    }
    const name = URL.parse(issuer)?.host ?? issuer
    return { uri: await otpauthUri(secret, name, user.email), secret }
  }

  /**
   * Confirms a second factor by its first code, and ends the user's sessions except `keptSession` (a digest).
   * Returns the recovery codes, which are shown once.
   * @throws Problem `unauthorized` for a wrong code, `conflict` if no second factor waits for its first code
   */
  async confirm(user: User, code: string, keptSession: string): Promise<readonly string[]> {
    const { storage, clock, ids, log } = this.#parts
    const { factor, at } = await storage.secondFactors.find(user.id, clock.statementTime())
    if (factor === undefined || factor.confirmedAt !== undefined) throw nothingWaits()
    const step = await stepOfCode(this.#open(user.id, factor.secret), withoutBlanks(code), at)
    if (step === undefined) throw this.#refused(user, 'the code is wrong')
    const codes = Array.from({ length: RECOVERY_CODES }, () =>
      spellRecoveryCode(ids.secret(RECOVERY_CODE_BYTES)),
    )
    const recovery = codes.map(recoveryDigest)
    const confirmation = { userId: user.id, secret: factor.secret, step, recovery, keptSession }
    if (!(await storage.secondFactors.confirm(confirmation, clock.statementTime()))) throw nothingWaits()
    log.info({ user: user.id }, 'second factor added')
    return codes
  }

  /**
   * Removes the second factor of a user, who must give the password and a code.
   * @throws Problem `unauthorized` if one of them is wrong, `conflict` if there is no second factor
   */
  async remove(user: User, password: string, code: string): Promise<void> {
    const { storage, clock, log, users } = this.#parts
    const found = await storage.secondFactors.find(user.id, clock.statementTime())
    if (found.factor?.confirmedAt === undefined) {
      throw new Problem('conflict', { detail: 'there is no second factor' })
    }
    const proof = await this.#proofIn(user.id, found, code)
    const isRight = (await users.confirm(user, password)) !== undefined
    if (!isRight || proof === undefined || !(await storage.secondFactors.remove(user.id, proof))) {
      throw this.#refused(user, 'the password or the code is wrong')
    }
    log.info({ user: user.id }, 'second factor removed')
  }

  /** Removes a lost second factor and ends the user's sessions. Returns false if there was none. */
  async reset(user: User): Promise<boolean> {
    const { storage, clock, log } = this.#parts
    const { removed } = await storage.secondFactors.reset(user.id, clock.statementTime())
    if (removed) log.info({ user: user.id }, 'second factor reset')
    return removed
  }

  /** Returns the ids of the users with a second factor. */
  async holders(): Promise<ReadonlySet<string>> {
    return new Set(await this.#parts.storage.secondFactors.confirmed())
  }

  /**
   * Returns the proof that a code gives. Does the same work for an unknown user or one without a second
   * factor.
   */
  async proofOf(user: User | undefined, code: string | undefined): Promise<Proof | undefined> {
    const { storage, clock } = this.#parts
    const id = user?.id ?? NOBODY
    return this.#proofIn(id, await storage.secondFactors.find(id, clock.statementTime()), code ?? '')
  }

  /**
   * Uses up a proof. Returns whether `user` may continue, which needs no proof without a second factor. Does
   * the same work without a user.
   */
  spend(user: User | undefined, proof: Proof | undefined): Promise<boolean> {
    return this.#parts.storage.secondFactors.spend(user?.id ?? NOBODY, proof)
  }

  /**
   * Returns whether the user must set up a second factor before this session (a digest) can do anything else.
   */
  async mustSetUp(user: User, session: string): Promise<boolean> {
    const { storage, demandedOf } = this.#parts
    const isDemanded = demandedOf === 'all' || (demandedOf === 'staff' && user.tenantId === undefined)
    return isDemanded && !(await storage.secondFactors.backs(user.id, session))
  }

  #open(userId: string, secret: string): string {
    return this.#parts.keyring.open(secret, placeOf('secondFactors', userId))
  }

  /** A proof names the secret as it is stored: one that changes meanwhile makes the proof worthless. */
  async #proofIn(userId: string, { factor, at }: SecondFactorNow, code: string): Promise<Proof | undefined> {
    const confirmed = factor?.confirmedAt === undefined ? undefined : factor
    const known = confirmed && this.#open(userId, confirmed.secret)
    const step = await stepOfCode(known, withoutBlanks(code), at)
    const recovery = recoveryDigest(code)
    if (confirmed === undefined) return undefined
    const { secret, lastStep } = confirmed
    if (step !== undefined) return step > lastStep ? { secret, step } : undefined
    return confirmed.recovery.includes(recovery) ? { secret, recovery } : undefined
  }

  #refused(user: User, detail: string): Problem {
    this.#parts.log.info({ user: user.id }, 'second factor refused')
    return new Problem('unauthorized', { detail })
  }
}

const nothingWaits = () =>
  new Problem('conflict', { detail: 'no second factor waits for its first code: begin anew' })

const withoutBlanks = (code: string): string => code.replace(/\s/g, '')
