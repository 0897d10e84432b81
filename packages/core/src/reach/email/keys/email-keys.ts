import { idOfCursor } from '../../../kernel/cursor.ts'
import { Problem } from '../../../kernel/problem.ts'
import { PLATFORM, type Scope } from '../../../kernel/scope.ts'
import type { LicenseStanding } from '../../../people/licenses/license.ts'
import { ENDED_DAYS } from '../../../people/sessions/sessions-store.ts'
import type { Base } from '../../../platform/base.ts'
import { secretDigest } from '../../../platform/signing/same-secret.ts'
import { type EmailDomains, noDomain } from '../domains/email-domains.ts'
import {
  type EmailKey,
  hasEmailKeyForm,
  KEY_SECONDS,
  KEYS_PER_OWNER,
  newEmailKey,
  shownPart,
} from './email-key.ts'

/** Dependencies of `EmailKeys`. */
export interface EmailKeysParts extends Pick<Base, 'storage' | 'clock' | 'ids'> {
  readonly licenses: LicenseStanding
  readonly domains: Pick<EmailDomains, 'find'>
}

/** Input of a new key. */
export interface NewKeyInput {
  readonly owner: string
  readonly name: string
  readonly domainId: string | undefined
  readonly expiresAt: Date | undefined
}

/** A page of keys, with the cursor of the next page. */
export interface EmailKeyPage {
  readonly keys: readonly EmailKey[]
  readonly nextCursor: string | undefined
}

/** Keys for programs to send messages with, and nothing else. */
export class EmailKeys {
  readonly #parts: EmailKeysParts

  constructor(parts: EmailKeysParts) {
    this.#parts = parts
  }

  /**
   * Makes a key. `token` is the key itself: it is returned only here and not stored.
   * @throws Problem `invalid-input`, `not-found` for a domain of others, `key-limit`
   */
  async create(input: NewKeyInput): Promise<{ readonly key: EmailKey; readonly token: string }> {
    const { storage, clock, ids, domains } = this.#parts
    const { owner, name, domainId, expiresAt } = input
    const now = clock.now().getTime()
    const end = expiresAt?.getTime()
    if (end !== undefined && !(end > now && end <= now + KEY_SECONDS * 1000))
      throw new Problem('invalid-input', {
        details: ['expires_at: expected an instant in the future, within two years'],
      })
    const domain = domainId === undefined ? undefined : await domains.find(PLATFORM, domainId)
    if (domain !== undefined && domain.owner !== owner) throw noDomain()
    const token = newEmailKey((bytes) => ids.secret(bytes))
    const made = { id: ids.next('ek'), owner, name, domainId, expiresAt, prefix: shownPart(token) }
    const stored = { ...made, digest: secretDigest(token) }
    const key = await storage.emailKeys.add(stored, KEYS_PER_OWNER, clock.statementTime())
    if (key === undefined) throw new Problem('key-limit')
    return { key, token }
  }

  /** Returns the key that this text is, if it and its license are good at this moment. */
  async authenticate(text: string): Promise<EmailKey | undefined> {
    if (!hasEmailKeyForm(text)) return undefined
    const { storage, clock, licenses } = this.#parts
    const key = await storage.emailKeys.use(secretDigest(text), clock.statementTime())
    if (key === undefined) return undefined
    return key.owner === '' || (await licenses.isGood(key.owner)) ? key : undefined
  }

  /** Lists keys of a scope that are not revoked, by id. @throws Problem `invalid-input` for a bad cursor */
  async list(
    scope: Scope,
    { limit, cursor }: { limit: number; cursor?: string | undefined },
  ): Promise<EmailKeyPage> {
    const after = idOfCursor(cursor, 'ek')
    const found = await this.#parts.storage.emailKeys.list(scope, { after, limit: limit + 1 })
    const keys = found.slice(0, limit)
    return { keys, nextCursor: found.length > limit ? keys.at(-1)?.id : undefined }
  }

  /** Returns a key of a scope. @throws Problem `not-found` */
  async find(scope: Scope, id: string): Promise<EmailKey> {
    const key = await this.#parts.storage.emailKeys.find(scope, id)
    if (key === undefined) throw unknownKey()
    return key
  }

  /** Revokes a key for good, from the next request on. @throws Problem `not-found` */
  async revoke(scope: Scope, id: string): Promise<EmailKey> {
    const { storage, clock } = this.#parts
    const key = await this.find(scope, id)
    if (!(await storage.emailKeys.revoke(id, clock.statementTime()))) throw unknownKey()
    return key
  }

  /** Deletes keys that ended long ago. Returns their number. */
  purge(): Promise<number> {
    const { storage, clock } = this.#parts
    return storage.emailKeys.purge(ENDED_DAYS, clock.statementTime())
  }
}

const unknownKey = () =>
  new Problem('not-found', { detail: 'there is no such sending key: svc email keys list shows them' })
