import { Problem } from '../../kernel/problem.ts'
import { RecentMap } from '../../kernel/recent-map.ts'
import { ofLicense, type Scope } from '../../kernel/scope.ts'
import type { Base } from '../../platform/base.ts'
import type { Config } from '../../platform/config/config.ts'
import { sameSecret, secretDigest } from '../../platform/signing/same-secret.ts'
import { ACTIVATION_TYP, type Activation, activationClaims } from './activation.ts'
import {
  isEmailKeyLike,
  type License,
  type LicenseClaim,
  type Licensee,
  type LicenseState,
  licenseState,
  shutText,
} from './license.ts'
import type { ActivateInput, IssueInput } from './license-changes.ts'
import { changeLicense, issueLicense, requireKnownTier, setLicenseStatus } from './license-changes.ts'
import { findLicense, unknownLicense } from './license-name.ts'
import { entitlementOf } from './license-tier.ts'
import type { LicenseChange } from './licenses-store.ts'

/** Dependencies of `Licenses`. */
export interface LicensesParts
  extends Pick<Base, 'storage' | 'clock' | 'ids' | 'signer' | 'issuer' | 'production'> {
  readonly licensing: Config['licensing']
  /** The names of all tiers. */
  readonly tiers: readonly string[]
}

// A key without a row needs an id for its hosts and jobs; it is taken from the key's digest.
const ID_CHARS = 26
const DEVELOPMENT_PREFIX = 'lic_dev_'
const bootId = (digest: string): string => `lic_boot_${digest.slice(0, ID_CHARS)}`
const developmentId = (digest: string): string => `${DEVELOPMENT_PREFIX}${digest.slice(0, ID_CHARS)}`
const UNISSUED = /^lic_(?:boot|dev)_[0-9a-f]{26}$/

/** Keys in use that are remembered at least; twice as many take 24 MB. */
const SEEN_KEYS = 50_000

/**
 * License keys: validation, issuing, and activation (spec, License key validation; POST
 * /v1/license/activate).
 */
export class Licenses {
  readonly #parts: LicensesParts
  /**
   * Licenses that issued keys belonged to when they were last validated, by the digest of the key. An entry
   * grants nothing: the statement that serves the request checks the license itself.
   */
  readonly #seen = new RecentMap<Required<LicenseClaim>>(SEEN_KEYS)
  #hasIssued = false

  constructor(parts: LicensesParts) {
    this.#parts = parts
  }

  /** The treatment of keys without a row, for the start-up log and healthz. */
  get mode(): 'allow-list' | 'issued' | 'development' {
    const { licensing, production } = this.#parts
    if (licensing.keys.length > 0) return 'allow-list'
    return production ? 'issued' : 'development'
  }

  /**
   * Returns whether a host could activate with any key. Probes call this often, so a positive answer is
   * remembered.
   */
  async areThereKeys(): Promise<boolean> {
    this.#hasIssued ||= this.mode !== 'issued' || (await this.#parts.storage.licenses.hasAny())
    return this.#hasIssued
  }

  /**
   * Returns the licensee of a key: by the allow-list, then by a usable issued license, then, in development
   * without an allow-list, for any non-empty key. No remembered result decides, so that a revocation applies
   * to the next request.
   */
  async validate(key: string): Promise<Licensee | undefined> {
    // In development any text is a key, but a sending key opens nothing but sending.
    if (key === '' || isEmailKeyLike(key)) return undefined
    const digest = secretDigest(key)
    if (this.#isListed(key)) return { licenseId: bootId(digest), source: 'allow-list' }
    const { storage, clock } = this.#parts
    const licenseId = await storage.licenses.usableId(digest, clock.statementTime())
    if (licenseId !== undefined) {
      this.#seen.set(digest, { licenseId, keyDigest: digest })
      return { licenseId, source: 'issued' }
    }
    this.#seen.delete(digest)
    if (this.mode !== 'development' || (await storage.licenses.byKeyDigest(digest))) return undefined
    return { licenseId: developmentId(digest), source: 'development' }
  }

  /**
   * Returns the license of an issued key as of its last validation, without asking storage. Only for requests
   * served by one statement that checks the license itself; for any other, callers must `validate` first.
   */
  recall(key: string): Required<LicenseClaim> | undefined {
    return this.#seen.get(secretDigest(key))
  }

  /**
   * Exchanges a key for a signed token.
   * @throws Problem `license-key-required`, `license-rejected`, `signing-not-configured` or `signing-failed`,
   * checked in this order
   */
  async activate(input: ActivateInput): Promise<Activation> {
    if (input.key === undefined || input.key === '') throw new Problem('license-key-required')
    const licensee = await this.validate(input.key)
    if (licensee === undefined) throw new Problem('license-rejected')
    const { storage, clock, ids, signer, issuer, licensing } = this.#parts
    const entitled = await entitlementOf(storage.licenses, licensing.tiers, licensee.licenseId)
    const claims = activationClaims({
      entitled,
      issuer,
      licenseId: licensee.licenseId,
      tokenId: ids.next('tok'),
      fingerprint: input.fingerprint,
      now: clock.now(),
      ttlDays: licensing.ttlDays,
    })
    const token = signer.sign(ACTIVATION_TYP, claims)
    return { token, ...entitled, expires: new Date(claims.exp * 1000).toISOString() }
  }

  /** Issues a license, with a key that is not stored. @throws Problem `invalid-input` for an unknown tier */
  async issue(input: IssueInput): Promise<{ license: License; key: string }> {
    const { storage, tiers, licensing } = this.#parts
    requireKnownTier(input.tier, tiers)
    const { agentOnly = licensing.agentOnly } = input
    return issueLicense(storage.licenses, this.#parts, { ...input, agentOnly })
  }

  /** Returns the issued license with this key, usable or not. */
  byKey(key: string): Promise<License | undefined> {
    return this.#parts.storage.licenses.byKeyDigest(secretDigest(key))
  }

  /** Returns the issued licenses of a scope, oldest first. */
  list(scope: Scope): Promise<readonly License[]> {
    return this.#parts.storage.licenses.list(scope)
  }

  /**
   * Returns the issued license of a scope that `name` means: its id or the end of it, its key, or its label.
   * @throws Problem `not-found`, or `ambiguous` with the candidates
   */
  async named(scope: Scope, name: string): Promise<License> {
    const license = await findLicense(this.#parts.storage.licenses, scope, name)
    if (license !== undefined) return license
    throw unknownLicense()
  }

  /**
   * Returns the id of the license that `name` means: the id of an issued license as in `named`; on the
   * platform also the key or the id of one that was never issued.
   * @throws Problem `not-found`, or `ambiguous` with the candidates
   */
  async resolve(scope: Scope, name: string): Promise<string> {
    if (scope.of !== 'platform') return (await this.named(scope, name)).id
    if (UNISSUED.test(name)) return name
    if (this.#isListed(name)) return bootId(secretDigest(name))
    const license = await findLicense(this.#parts.storage.licenses, scope, name)
    if (license !== undefined) return license.id
    if (this.mode !== 'development' || name === '' || name.startsWith('lic_')) throw unknownLicense()
    return developmentId(secretDigest(name))
  }

  /**
   * Returns a scope narrowed to the license that `name` means; without a name, the scope.
   * @throws Problem as `resolve`
   */
  async within(scope: Scope, name: string | undefined): Promise<Scope> {
    return name === undefined ? scope : ofLicense(await this.resolve(scope, name))
  }

  /**
   * Checks that hosts of a license may take work. A license that was never issued needs hosts that reported
   * under it, unless its key is on the allow-list: with the rules of development any text is a key, and a
   * mistyped one would make work that nobody takes.
   * @throws Problem `not-found`, or `conflict` when the license is suspended, revoked or expired
   */
  async requireOpen(licenseId: string): Promise<void> {
    const { storage, clock } = this.#parts
    const license = await storage.licenses.get(licenseId)
    const shut = license && shutText(license, clock.now())
    if (shut !== undefined) throw new Problem('conflict', { detail: shut })
    if (license !== undefined || this.#isBooted(licenseId)) return
    const isBarred = licenseId.startsWith(DEVELOPMENT_PREFIX) && this.mode !== 'development'
    if (isBarred || (await storage.agents.list(ofLicense(licenseId))).length === 0) throw unknownLicense()
  }

  /**
   * Returns whether the rights of a license still hold: it is usable, or its key is still accepted without
   * having been issued.
   */
  async isGood(licenseId: string): Promise<boolean> {
    const license = await this.#parts.storage.licenses.get(licenseId)
    if (license !== undefined) return this.stateOf(license) === 'active'
    const isOfDevelopment = this.mode === 'development' && licenseId.startsWith(DEVELOPMENT_PREFIX)
    return isOfDevelopment || this.#isBooted(licenseId)
  }

  /** Returns the state of an issued license now. */
  stateOf(license: Pick<License, 'status' | 'expiresAt'>): LicenseState {
    return licenseState(license, this.#parts.clock.now())
  }

  /** Gives a license another label; empty removes it. @throws Problem `not-found` */
  rename(id: string, label: string): Promise<License> {
    return changeLicense(this.#parts.storage.licenses, id, { label })
  }

  /**
   * Moves the end of a license; undefined: it never ends.
   * @throws Problem `not-found`, `conflict` when it is revoked
   */
  extend(id: string, expiresAt: Date | undefined): Promise<License> {
    return changeLicense(this.#parts.storage.licenses, id, { expiresAt: expiresAt ?? null })
  }

  /** Gives a license a tier or a contact. @throws Problem `not-found`, `invalid-input` for an unknown tier */
  edit(id: string, change: Pick<LicenseChange, 'tier' | 'contactEmail'>): Promise<License> {
    requireKnownTier(change.tier, this.#parts.tiers)
    return changeLicense(this.#parts.storage.licenses, id, change)
  }

  /** Suspends the license until it is reinstated. @throws Problem `not-found`, `conflict` */
  suspend(id: string): Promise<License> {
    return setLicenseStatus(this.#parts.storage.licenses, id, 'suspended')
  }

  /** Lifts a suspension. @throws Problem `not-found`, `conflict` */
  reinstate(id: string): Promise<License> {
    return setLicenseStatus(this.#parts.storage.licenses, id, 'active')
  }

  /** Revokes the license for good. @throws Problem `not-found` */
  revoke(id: string): Promise<License> {
    return setLicenseStatus(this.#parts.storage.licenses, id, 'revoked')
  }

  #isBooted(licenseId: string): boolean {
    return this.#parts.licensing.keys.some((key) => bootId(secretDigest(key)) === licenseId)
  }

  // Every entry is compared, so that the time taken does not tell which one matched.
  #isListed(key: string): boolean {
    return this.#parts.licensing.keys.reduce((found, listed) => sameSecret(key, listed) || found, false)
  }
}
