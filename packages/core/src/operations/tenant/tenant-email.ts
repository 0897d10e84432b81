import type { EmailDomain } from '../../email/domains/email-domain.ts'
import type { EmailDomainPage, EmailDomains } from '../../email/domains/email-domains.ts'
import type { EmailKey } from '../../email/keys/email-key.ts'
import type { EmailKeyPage, EmailKeys } from '../../email/keys/email-keys.ts'
import { Problem } from '../../problem.ts'
import { inOrderOf } from './in-order.ts'
import type { TenantLicenses } from './tenant-licenses.ts'

/** The sending domains of the licenses of one tenant, to be read: those of others do not exist. */
export class TenantEmailDomains implements Pick<EmailDomains, 'list' | 'find' | 'health' | 'recordsOf'> {
  readonly #domains: EmailDomains
  readonly #licenses: TenantLicenses

  constructor(domains: EmailDomains, licenses: TenantLicenses) {
    this.#domains = domains
    this.#licenses = licenses
  }

  async list(owner: string | undefined, page: Parameters<EmailDomains['list']>[1]): Promise<EmailDomainPage> {
    const pages = await this.#licenses.reads(owner, async (id) => [await this.#domains.list(id, page)])
    const all = pages.flatMap((each) => each.domains).sort(inOrderOf(({ id }) => [id]))
    const domains = all.slice(0, page.limit)
    const isMore = all.length > page.limit || pages.some(({ nextCursor }) => nextCursor !== undefined)
    return { domains, nextCursor: isMore ? domains.at(-1)?.id : undefined }
  }

  async find(id: string, owner: string | undefined): Promise<EmailDomain> {
    const domain = await this.#domains.find(id, owner)
    if (domain.owner !== '' && (await this.#licenses.owns(domain.owner))) return domain
    throw new Problem('not-found', { detail: 'there is no such domain: svc email domains list shows them' })
  }

  async health(id: string, owner: string | undefined) {
    await this.find(id, owner)
    return this.#domains.health(id, owner)
  }

  recordsOf(domain: EmailDomain) {
    return this.#domains.recordsOf(domain)
  }
}

/** The sending keys of the licenses of one tenant, to be read: those of others do not exist. */
export class TenantEmailKeys implements Pick<EmailKeys, 'list' | 'find'> {
  readonly #keys: EmailKeys
  readonly #licenses: TenantLicenses

  constructor(keys: EmailKeys, licenses: TenantLicenses) {
    this.#keys = keys
    this.#licenses = licenses
  }

  async list(owner: string | undefined, page: Parameters<EmailKeys['list']>[1]): Promise<EmailKeyPage> {
    const pages = await this.#licenses.reads(owner, async (id) => [await this.#keys.list(id, page)])
    const all = pages.flatMap((each) => each.keys).sort(inOrderOf(({ id }) => [id]))
    const keys = all.slice(0, page.limit)
    const isMore = all.length > page.limit || pages.some(({ nextCursor }) => nextCursor !== undefined)
    return { keys, nextCursor: isMore ? keys.at(-1)?.id : undefined }
  }

  async find(id: string, owner: string | undefined): Promise<EmailKey> {
    const key = await this.#keys.find(id, owner)
    if (key.owner !== '' && (await this.#licenses.owns(key.owner))) return key
    throw new Problem('not-found', { detail: 'there is no such sending key: svc email keys list shows them' })
  }
}
