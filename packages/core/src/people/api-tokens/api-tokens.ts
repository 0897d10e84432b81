import { Problem } from '../../kernel/problem.ts'
import type { Base } from '../../platform/base.ts'
import { secretDigest } from '../../platform/signing/same-secret.ts'
import { ENDED_DAYS } from '../sessions/sessions-store.ts'
import { fittingRole } from '../users/users.ts'
import { type ApiToken, hasApiTokenForm, newApiToken } from './api-token.ts'

/** Dependencies of `ApiTokens`. */
export type ApiTokensParts = Pick<Base, 'storage' | 'clock' | 'ids'>

/** Input of a new token. Without a tenant it acts for the platform. */
export interface IssueTokenInput {
  readonly role: string
  readonly tenantId: string | undefined
  readonly label: string
  readonly expiresAt: Date | undefined
  /** Name of the operator who issues it. */
  readonly createdBy: string
}

/** The token that a request came with. */
export interface TokenCaller {
  readonly token: ApiToken
}

/** API tokens: programs run operations with them, in place of a person's session. */
export class ApiTokens {
  readonly #parts: ApiTokensParts

  constructor(parts: ApiTokensParts) {
    this.#parts = parts
  }

  /**
   * Issues a token. `secret` is the token itself: it is returned only here and not stored.
   * @throws Problem `invalid-input` for a role that does not fit or an end that is not in the future
   */
  async issue(input: IssueTokenInput): Promise<{ readonly token: ApiToken; readonly secret: string }> {
    const { storage, clock, ids } = this.#parts
    const { label, createdBy, expiresAt, tenantId } = input
    if (expiresAt !== undefined && !(expiresAt > clock.now()))
      throw new Problem('invalid-input', { details: ['expires: expected an instant in the future'] })
    const role = fittingRole(input.role, tenantId)
    const secret = newApiToken((bytes) => ids.secret(bytes))
    const token = await storage.apiTokens.add(
      { id: ids.next('tkn'), digest: secretDigest(secret), label, role, tenantId, createdBy, expiresAt },
      clock.statementTime(),
    )
    return { token, secret }
  }

  /** Returns the caller with this token, if it is good at this moment. */
  async authenticate(given: string): Promise<TokenCaller | undefined> {
    if (!hasApiTokenForm(given)) return undefined
    const { storage, clock } = this.#parts
    const token = await storage.apiTokens.use(secretDigest(given), clock.statementTime())
    return token === undefined ? undefined : { token }
  }

  /** Lists the tokens that are not revoked, oldest first, expired ones too. */
  list(): Promise<readonly ApiToken[]> {
    return this.#parts.storage.apiTokens.list()
  }

  /**
   * Revokes a token for good, from the next request on.
   * @throws Problem `not-found`
   */
  async revoke(id: string): Promise<ApiToken> {
    const { storage, clock } = this.#parts
    const token = await storage.apiTokens.revoke(id, clock.statementTime())
    if (token !== undefined) return token
    throw new Problem('not-found', { detail: 'there is no token with this id: svc tokens list shows them' })
  }

  /** Deletes tokens that ended long ago. Returns their number. */
  purge(): Promise<number> {
    const { storage, clock } = this.#parts
    return storage.apiTokens.purge(ENDED_DAYS, clock.statementTime())
  }
}
