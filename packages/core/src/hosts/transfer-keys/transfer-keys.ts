import { Problem } from '../../kernel/problem.ts'
import { PLATFORM, type Scope } from '../../kernel/scope.ts'
import { ENDED_DAYS } from '../../people/sessions/sessions-store.ts'
import type { Base } from '../../platform/base.ts'
import { type Passwords, sayBusy } from '../../platform/passwords/passwords.ts'
import { verificationKeys } from '../../platform/signing/json-web-key.ts'
import { sameSecret, secretDigest } from '../../platform/signing/same-secret.ts'
import { MAX_SMALL_TOKEN_CHARS } from '../../platform/signing/small-token.ts'
import type { TransferMint, TransferRedeem } from './transfer-fields.ts'
import {
  listenerOf,
  PIN_TRIES,
  peerDigest,
  spkiPin,
  type TransferKey,
  transferKeyState,
} from './transfer-key.ts'
import type { TransferUse } from './transfer-keys-store.ts'
import type { RedeemOutcome, TransferMetrics } from './transfer-metrics.ts'
import { readTransferKey, TRANSFER_PREFIX, type TransferToken, transferPayload } from './transfer-token.ts'

/** Runs work on one thing after the other: work on different things does not wait for each other. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs `work` when the earlier work on `name` has ended, well or not. */
  async of<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve()
    const own = before.then(work, work)
    this.#last.set(name, own)
    try {
      return await own
    } finally {
      if (this.#last.get(name) === own) this.#last.delete(name)
    }
  }
}

/** The parts that `TransferKeys` is built from. */
export interface TransferKeysParts extends Pick<Base, 'storage' | 'clock' | 'ids' | 'signer'> {
  /** Hashes secret PINs. */
  readonly pins: Passwords
  readonly metrics: TransferMetrics
  readonly maxTtlSeconds: number
  readonly mostActive: number
}

/** A new key: `secret` is the key itself, which is returned only here and not stored. */
export interface MintedKey {
  readonly outcome: 'minted'
  readonly key: TransferKey
  readonly secret: string
}

/** The result of a mint. */
export type MintAnswer = MintedKey | { readonly outcome: 'same-host' | 'full' }

/** Why a key opens no session any more, in the order of precedence. */
export type TransferEnd = 'expired' | 'revoked' | 'used up' | 'locked'

/** The result of a redemption; only `redeemed` opens a session. */
export type RedeemAnswer =
  | { readonly outcome: 'redeemed'; readonly key: TransferKey; readonly transferId: string }
  | { readonly outcome: 'invalid' | 'not-for-host' }
  | { readonly outcome: 'pin-rejected'; readonly attemptsLeft: number }
  | { readonly outcome: 'ended'; readonly end: TransferEnd }

const ENDS: Readonly<Record<string, TransferEnd>> = { used_up: 'used up' }

/** Keys that let one host of a license get data from another (spec, Transfer key). */
export class TransferKeys {
  readonly #parts: TransferKeysParts
  readonly #turns = new Turns()

  constructor(parts: TransferKeysParts) {
    this.#parts = parts
  }

  /** @throws Problem `signing-not-configured` without a usable signing key */
  requireSigning(): void {
    if (this.#parts.signer.status !== 'ready') throw new Problem('signing-not-configured')
  }

  /**
   * Mints a key between two hosts of a license.
   * @throws Problem `signing-not-configured`, `invalid-input`, or `agent-not-owned` for a host that the
   * license has not
   */
  async mint(licenseId: string, given: TransferMint): Promise<MintAnswer> {
    this.requireSigning()
    const { storage, clock, signer, metrics, mostActive, maxTtlSeconds } = this.#parts
    const { source_fingerprint: source, target_fingerprint: target } = given
    if (given.ttl_s > maxTtlSeconds) {
      throw new Problem('invalid-input', { details: [`ttl_s: expected at most ${maxTtlSeconds}`] })
    }
    for (const fingerprint of [source, target])
      if (!(await storage.transferKeys.knowsHost(licenseId, fingerprint)))
        throw new Problem('agent-not-owned')
    if (source === target) return { outcome: 'same-host' }
    const made = await this.#newKey(licenseId, given)
    const secret = signer.signSmall(TRANSFER_PREFIX, transferPayload(made, clock.now()))
    if (secret.length > MAX_SMALL_TOKEN_CHARS)
      throw new Problem('invalid-input', { details: ['scope: expected fewer or shorter paths'] })
    const key = await storage.transferKeys.add(
      { ...made, keyDigest: secretDigest(secret), mostActive },
      clock.statementTime(),
    )
    if (key === 'no-host') throw new Problem('agent-not-owned')
    if (key === 'full') return { outcome: 'full' }
    metrics.minted()
    return { outcome: 'minted', key, secret }
  }

  /**
   * Opens a session, for the peer that listens: before any byte moves, and each time anew.
   * @throws Problem `signing-not-configured`, `agent-not-owned`, or `unavailable` when too many PINs are
   * being checked
   */
  async redeem(licenseId: string, given: TransferRedeem): Promise<RedeemAnswer> {
    this.requireSigning()
    const answer = await this.#redeem(licenseId, given)
    this.#parts.metrics.redeemed(answer.outcome satisfies RedeemOutcome)
    return answer
  }

  /**
   * Ends a key of the scope for good; a repeat changes nothing.
   * @throws Problem `not-found`
   */
  async revoke(scope: Scope, id: string): Promise<TransferKey> {
    const { storage, clock } = this.#parts
    const key = await storage.transferKeys.revoke(scope, id, clock.statementTime())
    if (key === undefined) throw noTransferKey(id)
    return key
  }

  /** @throws Problem `not-found` */
  async get(scope: Scope, id: string): Promise<TransferKey> {
    const key = await this.#parts.storage.transferKeys.get(scope, id)
    if (key === undefined) throw noTransferKey(id)
    return key
  }

  /** The keys of a scope, newest first. */
  list(scope: Scope, limit: number): Promise<readonly TransferKey[]> {
    return this.#parts.storage.transferKeys.list(scope, limit)
  }

  /** The sessions that a key opened, oldest first. */
  uses(id: string): Promise<readonly TransferUse[]> {
    return this.#parts.storage.transferKeys.uses(id)
  }

  /** The present instant, for the states of keys. */
  now(): Date {
    return this.#parts.clock.now()
  }

  /** Deletes keys that ended long ago. Returns their number. */
  purge(): Promise<number> {
    const { storage, clock } = this.#parts
    return storage.transferKeys.purge(ENDED_DAYS, clock.statementTime())
  }

  async #newKey(licenseId: string, given: TransferMint): Promise<TransferKey> {
    const { clock, ids, pins } = this.#parts
    const { pin } = given
    const spki = pin === undefined ? undefined : spkiPin(pin)
    const isSecret = pin !== undefined && spki === undefined
    const now = clock.now()
    // The end is a whole second, so that the row ends with the signed key.
    const ends = Math.floor(now.getTime() / 1000) + given.ttl_s
    return {
      id: ids.next('xfr'),
      licenseId,
      keyDigest: '',
      sourceFingerprint: given.source_fingerprint,
      targetFingerprint: given.target_fingerprint,
      mode: given.mode,
      maxUses: given.max_uses,
      uses: 0,
      pinKind: spki === undefined ? (isSecret ? 'secret' : 'none') : 'spki',
      pinSpki: spki,
      pinHash: isSecret ? await pins.hash(pin).catch(sayBusy) : undefined,
      pinFails: 0,
      scope: given.scope,
      createdAt: now,
      expiresAt: new Date(ends * 1000),
      lastUsedAt: undefined,
      revokedAt: undefined,
    }
  }

  async #redeem(licenseId: string, given: TransferRedeem): Promise<RedeemAnswer> {
    const { storage, signer, clock } = this.#parts
    const keys = verificationKeys(signer.jwks())
    const verdict = readTransferKey(given.key, { keys, now: clock.now() })
    if (!verdict.ok) return verdict.reason === 'expired' ? ENDED('expired') : INVALID
    const { token } = verdict
    const key = token.licenseId === licenseId ? await storage.transferKeys.get(PLATFORM, token.id) : undefined
    if (key === undefined || !sameSecret(secretDigest(given.key), key.keyDigest)) return INVALID
    if (!(await storage.transferKeys.knowsHost(licenseId, given.fingerprint)))
      throw new Problem('agent-not-owned')
    if (!isForHosts(token, given)) return { outcome: 'not-for-host' }
    if (key.pinKind !== 'secret') return this.#use(key, given, false)
    return this.#turns.of(key.id, () => this.#withPin(key, given))
  }

  async #withPin({ id, pinFails }: TransferKey, given: TransferRedeem): Promise<RedeemAnswer> {
    const { storage, clock, pins } = this.#parts
    // A request without a PIN is no guess.
    if (given.pin === undefined)
      return this.#unless({ id }, { outcome: 'pin-rejected', attemptsLeft: PIN_TRIES - pinFails })
    const tried = await storage.transferKeys.tryPin(id, clock.statementTime())
    if (tried === undefined) return this.#end(id)
    const isRight = await pins.check(given.pin, tried.pinHash, id).catch(sayBusy)
    if (isRight) return this.#use(tried, given, true)
    const attemptsLeft = PIN_TRIES - tried.pinFails
    return attemptsLeft > 0 ? { outcome: 'pin-rejected', attemptsLeft } : ENDED('locked')
  }

  async #use({ id }: TransferKey, given: TransferRedeem, isReserved: boolean): Promise<RedeemAnswer> {
    const { storage, clock, ids } = this.#parts
    const transferId = ids.next('xfs')
    const { fingerprint: callerFingerprint, peer_fingerprint: peerFingerprint } = given
    const redemption = { id: transferId, keyId: id, callerFingerprint, peerFingerprint, isReserved }
    const key = await storage.transferKeys.redeem(redemption, clock.statementTime())
    return key === undefined ? this.#end(id) : { outcome: 'redeemed', key, transferId }
  }

  async #unless({ id }: Pick<TransferKey, 'id'>, answer: RedeemAnswer): Promise<RedeemAnswer> {
    const key = await this.#parts.storage.transferKeys.get(PLATFORM, id)
    const isActive = key !== undefined && transferKeyState(key, this.now()) === 'active'
    return isActive ? answer : this.#end(id)
  }

  async #end(id: string): Promise<RedeemAnswer> {
    const key = await this.#parts.storage.transferKeys.get(PLATFORM, id)
    if (key === undefined) return INVALID
    const state = transferKeyState(key, this.now())
    return ENDED(ENDS[state] ?? (state === 'revoked' || state === 'locked' ? state : 'expired'))
  }
}

const INVALID = { outcome: 'invalid' } as const
const ENDED = (end: TransferEnd): RedeemAnswer => ({ outcome: 'ended', end })

/** Returns whether the peer that listens, and the other one, are the key's peers. */
function isForHosts({ mode, source, target }: TransferToken, given: TransferRedeem): boolean {
  const ends = { source, target }
  const dialler = listenerOf(mode, { source: target, target: source })
  return (
    sameSecret(peerDigest(given.fingerprint), listenerOf(mode, ends)) &&
    sameSecret(peerDigest(given.peer_fingerprint), dialler)
  )
}

const noTransferKey = (id: string): Problem =>
  new Problem('not-found', { detail: `there is no transfer key ${id}: svc transfer list shows them` })
