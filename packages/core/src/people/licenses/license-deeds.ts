import { Problem } from '../../kernel/problem.ts'
import { PLATFORM } from '../../kernel/scope.ts'
import type { Base } from '../../platform/base.ts'
import type { ApiToken } from '../api-tokens/api-token.ts'
import { isBillable, isUsable, type License, type Licensee } from './license.ts'
import { changeLicense } from './license-changes.ts'
import { CALL_DAYS, LICENSE_DEEDS, type LicenseDeed } from './license-deed.ts'
import type { LicenseCalls } from './licenses-store.ts'

/** Dependencies of `LicenseDeeds`. */
export type LicenseDeedsParts = Pick<Base, 'storage' | 'clock' | 'ids'>

/** A license as somebody proves to speak for it. */
export interface DeedRequest {
  readonly deed: LicenseDeed
  /** The license that the request names; undefined: it names none. */
  readonly named: string | undefined
}

const MAX_NAMED = 10

const withoutKey = (deed: LicenseDeed): string => {
  const facts: { readonly least: string | undefined; readonly instead?: string } = LICENSE_DEEDS[deed]
  return facts.least === undefined
    ? (facts.instead ?? '')
    : `use an API token of the license's tenant with the role owner${facts.least === 'developer' ? ' or developer' : ''}`
}

/**
 * The deeds of licenses beside acting for their hosts: by the key, unless the license is `agentOnly`,
 * or by an API token of its tenant.
 */
export class LicenseDeeds {
  readonly #parts: LicenseDeedsParts

  constructor(parts: LicenseDeedsParts) {
    this.#parts = parts
  }

  /**
   * Admits the holder of the key of a license, and counts the call. A key without an issued license is open.
   * @throws Problem `credential-refused` when the license is `agentOnly`
   */
  async admitKey(licenseId: string, deed: LicenseDeed): Promise<void> {
    const { storage, clock } = this.#parts
    const license = await storage.licenses.get(licenseId)
    if (license === undefined) return
    if (license.agentOnly)
      throw new Problem('credential-refused', {
        detail: `this license is agent_only, so that its key acts for hosts alone: ${withoutKey(deed)}`,
      })
    await storage.licenses.noteCall(licenseId, deed, clock.statementTime())
  }

  /**
   * Admits an API token of the tenant of a license, and leaves an audit row. Without a name the tenant has
   * one license that is meant.
   * @throws Problem `credential-refused` for another role, `invalid-input` with the licenses that may be
   * named
   */
  async admitToken(token: ApiToken, { deed, named }: DeedRequest): Promise<Licensee> {
    const { storage, clock, ids } = this.#parts
    if (!mayAct(token, deed)) throw new Problem('credential-refused', { detail: withoutKey(deed) })
    const now = clock.now()
    const isMeant = (license: License) =>
      license.tenantId === token.tenantId &&
      (isUsable(license, now) || (deed === 'checkouts' && isBillable(license)))
    const found = named === undefined ? undefined : await storage.licenses.get(named)
    const license = found && isMeant(found) ? found : await this.#only(isMeant, named)
    const by = `token:${token.id}`
    const entry = {
      actor: by,
      operation: `for-license.${deed}`,
      input: { license: license.id },
      outcome: 'ok',
    }
    await storage.audit.add({ id: ids.next('aud'), ...entry }, clock.statementTime())
    return { licenseId: license.id, source: 'issued', by }
  }

  async #only(isMeant: (license: License) => boolean, named: string | undefined): Promise<License> {
    const own = (await this.#parts.storage.licenses.list(PLATFORM)).filter(isMeant)
    const [only, ...others] = own
    if (only !== undefined && others.length === 0 && named === undefined) return only
    const ids = own.slice(0, MAX_NAMED).map(({ id }) => id)
    const known =
      only === undefined ? 'a license that is open, and the tenant has none' : `one of ${ids.join(', ')}`
    throw new Problem('invalid-input', { details: [`Svc-License: expected ${known}`] })
  }

  /** The calls of the last days that keys made and that `agentOnly` refuses. */
  calls(): Promise<readonly LicenseCalls[]> {
    const { storage, clock } = this.#parts
    return storage.licenses.calls(CALL_DAYS, clock.statementTime())
  }

  /** Closes the deeds to the key of a license, or opens them. @throws Problem `not-found` */
  setAgentOnly(id: string, agentOnly: boolean): Promise<License> {
    return changeLicense(this.#parts.storage.licenses, id, { agentOnly })
  }

  /** Forgets calls that are too old to be shown. */
  purge(): Promise<number> {
    const { storage, clock } = this.#parts
    return storage.licenses.purgeCalls(CALL_DAYS, clock.statementTime())
  }
}

function mayAct({ role, tenantId }: ApiToken, deed: LicenseDeed): boolean {
  const { least } = LICENSE_DEEDS[deed]
  if (tenantId === undefined || least === undefined) return false
  return role === 'owner' || role === least
}
