import { Problem } from '../../kernel/problem.ts'
import type { LicenseStanding } from '../../people/licenses/license.ts'
import type { Base } from '../../platform/base.ts'
import type { Config } from '../../platform/config/config.ts'
import { sameSecret, secretDigest } from '../../platform/signing/same-secret.ts'
import {
  type BrowserCaller,
  type BrowserToken,
  hasBrowserTokenForm,
  newBrowserToken,
} from './browser-token.ts'

/** Days that work and revoked tokens are kept. */
const KEPT_DAYS = 30
const DIGEST_CHARS = 12

/** Dependencies of `BrowserTokens`. */
export interface BrowserTokensParts extends Pick<Base, 'storage' | 'clock' | 'ids'> {
  readonly licenses: LicenseStanding
  readonly config: Pick<Config, 'browser'>
}

/** Input of a new token. */
export interface IssueBrowserTokenInput {
  readonly label: string
  readonly licenseId: string | undefined
  readonly dailyLimit: number
}

/** The tokens of programs that drive the browser worker: stored ones, and tokens in the settings. */
export class BrowserTokens {
  readonly #parts: BrowserTokensParts

  constructor(parts: BrowserTokensParts) {
    this.#parts = parts
  }

  /** Issues a token. `secret` is the token itself: it is returned only here and not stored. */
  async issue(
    input: IssueBrowserTokenInput,
  ): Promise<{ readonly token: BrowserToken; readonly secret: string }> {
    const { storage, clock, ids } = this.#parts
    const secret = newBrowserToken((bytes) => ids.secret(bytes))
    const made = { ...input, id: ids.next('brt'), digest: secretDigest(secret) }
    return { token: await storage.browser.addToken(made, clock.statementTime()), secret }
  }

  /** Returns the caller with this token, if it and its license are good at this moment. */
  async authenticate(given: string): Promise<BrowserCaller | undefined> {
    const { storage, clock, licenses } = this.#parts
    if (!hasBrowserTokenForm(given)) return this.#ofSettings(given)
    const token = await storage.browser.useToken(secretDigest(given), clock.statementTime())
    if (token === undefined) return undefined
    const isGood = token.licenseId === undefined || (await licenses.isGood(token.licenseId))
    return isGood ? { id: token.id, isStored: true } : undefined
  }

  // Every token is compared, so that the time does not reveal a near match.
  #ofSettings(given: string): BrowserCaller | undefined {
    const { tokens } = this.#parts.config.browser
    const found = tokens.filter((token) => sameSecret(given, token))
    if (found.length === 0) return undefined
    return { id: `setting:${secretDigest(given).slice(0, DIGEST_CHARS)}`, isStored: false }
  }

  /** Returns whether anybody could have a token. */
  async exist(): Promise<boolean> {
    const { storage, config } = this.#parts
    return config.browser.tokens.length > 0 || storage.browser.hasTokens()
  }

  /** Lists the stored tokens that are not revoked, oldest first. */
  list(): Promise<readonly BrowserToken[]> {
    return this.#parts.storage.browser.listTokens()
  }

  /** Revokes a stored token for good, from the next request on. @throws Problem `not-found` */
  async revoke(id: string): Promise<BrowserToken> {
    const { storage, clock } = this.#parts
    const token = await storage.browser.revokeToken(id, clock.statementTime())
    if (token !== undefined) return token
    throw new Problem('not-found', {
      detail: 'there is no browser token with this id: svc browser tokens list shows them',
    })
  }

  /** Deletes old work, and tokens that were revoked long ago. Returns the number of rows. */
  purge(): Promise<number> {
    const { storage, clock } = this.#parts
    return storage.browser.purge(KEPT_DAYS, clock.statementTime())
  }
}
