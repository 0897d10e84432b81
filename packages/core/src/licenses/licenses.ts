import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Ids } from '../ids.ts'
import { Problem } from '../problem.ts'
import { RecentMap } from '../recent-map.ts'
import { sameSecret, secretDigest } from '../signing/same-secret.ts'
import type { Signer } from '../signing/signer.ts'
import type { Storage } from '../storage/storage.ts'
import { ACTIVATION_TYP, type Activation, activationClaims } from './activation.ts'
import {
  FEATURES,
  type License,
  type LicenseClaim,
  type Licensee,
  type LicenseStatus,
  newLicenseKey,
  PLAN,
} from './license.ts'

/** Dependencies of `Licenses`. */
export interface LicensesParts {
  readonly storage: Storage
  readonly clock: Clock
  readonly ids: Ids
  readonly signer: Signer
  readonly issuer: string
  readonly licensing: Config['licensing']
  readonly production: boolean
}

/** Inputs of a new license. */
export interface IssueInput {
  readonly tenantId?: string | undefined
  readonly label?: string | undefined
  readonly expiresAt?: Date | undefined
}

/** Inputs of an activation. */
export interface ActivateInput {
  readonly key: string | undefined
  readonly fingerprint: string | undefined
}

// A key without a row needs an id for its hosts and jobs; it is taken from the key's digest.
const ID_CHARS = 26

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
    if (key === '') return undefined
    const digest = secretDigest(key)
    if (this.#isListed(key))
      return { licenseId: `lic_boot_${digest.slice(0, ID_CHARS)}`, source: 'allow-list' }
    const { storage, clock } = this.#parts
    const licenseId = await storage.licenses.usableId(digest, clock.statementTime())
    if (licenseId !== undefined) {
      this.#seen.set(digest, { licenseId, keyDigest: digest })
      return { licenseId, source: 'issued' }
    }
    this.#seen.delete(digest)
    if (this.mode !== 'development' || (await storage.licenses.byKeyDigest(digest))) return undefined
    return { licenseId: `lic_dev_${digest.slice(0, ID_CHARS)}`, source: 'development' }
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
    const { clock, ids, signer, issuer, licensing } = this.#parts
    const claims = activationClaims({
      issuer,
      licenseId: licensee.licenseId,
      tokenId: ids.next('tok'),
      fingerprint: input.fingerprint,
      now: clock.now(),
      ttlDays: licensing.ttlDays,
    })
    const token = signer.sign(ACTIVATION_TYP, claims)
    return { token, plan: PLAN, features: FEATURES, expires: new Date(claims.exp * 1000).toISOString() }
  }

  /** Issues a license. The key is returned only here and is not stored. */
  async issue(input: IssueInput): Promise<{ license: License; key: string }> {
    const { storage, clock, ids } = this.#parts
    const key = newLicenseKey((bytes) => ids.secret(bytes))
    const license = await storage.licenses.add(
      {
        id: ids.next('lic'),
        keyDigest: secretDigest(key),
        tenantId: input.tenantId,
        label: input.label ?? '',
        expiresAt: input.expiresAt,
      },
      clock.statementTime(),
    )
    return { license, key }
  }

  /** Returns the issued license with this key, usable or not. */
  byKey(key: string): Promise<License | undefined> {
    return this.#parts.storage.licenses.byKeyDigest(secretDigest(key))
  }

  /** Returns every issued license, oldest first. */
  list(): Promise<readonly License[]> {
    return this.#parts.storage.licenses.list()
  }

  /**
   * Returns the id of a license, given its id or its key.
   * @throws Problem `not-found`
   */
  async resolve(idOrKey: string): Promise<string> {
    if ((await this.#parts.storage.licenses.get(idOrKey)) !== undefined) return idOrKey
    if (/^lic_(?:boot|dev)_[0-9a-f]{26}$/.test(idOrKey)) return idOrKey
    const licensee = await this.validate(idOrKey)
    if (licensee !== undefined && !(licensee.source === 'development' && idOrKey.startsWith('lic_'))) {
      return licensee.licenseId
    }
    throw noLicense()
  }

  /** Suspends the license until it is reinstated. @throws Problem `not-found`, `conflict` */
  suspend(id: string): Promise<License> {
    return this.#setStatus(id, 'suspended')
  }

  /** Lifts a suspension. @throws Problem `not-found`, `conflict` */
  reinstate(id: string): Promise<License> {
    return this.#setStatus(id, 'active')
  }

  /** Revokes the license for good. @throws Problem `not-found` */
  revoke(id: string): Promise<License> {
    return this.#setStatus(id, 'revoked')
  }

  async #setStatus(id: string, status: LicenseStatus): Promise<License> {
    const license = await this.#parts.storage.licenses.setStatus(id, status)
    if (license === undefined) throw new Problem('not-found', { detail: `there is no issued license ${id}` })
    if (license.status !== status) {
      throw new Problem('conflict', { detail: `${id} is revoked, which is final; issue a new license` })
    }
    return license
  }

  // Every entry is compared, so that the time taken does not tell which one matched.
  #isListed(key: string): boolean {
    return this.#parts.licensing.keys.reduce((found, listed) => sameSecret(key, listed) || found, false)
  }
}

/** Returns the refusal of a license that does not exist, for whoever asks. */
export const noLicense = (): Problem =>
  new Problem('not-found', { detail: 'no license has this id or key; svc licenses list shows them' })
