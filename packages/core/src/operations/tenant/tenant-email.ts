import type { EmailDomain } from '../../email/domains/email-domain.ts'
import type { EmailDomainPage, EmailDomains } from '../../email/domains/email-domains.ts'
import type { EmailKey } from '../../email/keys/email-key.ts'
import type { EmailKeyPage, EmailKeys } from '../../email/keys/email-keys.ts'
import { Problem } from '../../problem.ts'
import type { TenantLicenses } from './tenant-licenses.ts'

/** The sending domains of the licenses of one tenant, to be read: those of others do not exist. */
export class TenantEmailDomains implements Pick<EmailDomains, 'list' | 'find' | 'health' | 'recordsOf'> {
  readonly #domains: EmailDomains
  readonly #licenses: TenantLicenses

  constructor(domains: EmailDomains, licenses: TenantLicenses) {
    this.#domains = domains
    this.#licenses = licenses
  }

  /** A tenant has few domains, so that all of them are one page. */
  async list(owner: string | undefined, page: Parameters<EmailDomains['list']>[1]): Promise<EmailDomainPage> {
    const { limit, cursor } = page
    const all = await this.#licenses.reads(
      owner,
      async (id) => (await this.#domains.list(id, { limit: 100, cursor })).domains,
    )
    const sorted = all.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    const domains = sorted.slice(0, limit)
    return { domains, nextCursor: sorted.length > limit ? domains.at(-1)?.id : undefined }
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
    const { limit, cursor } = page
    const all = await this.#licenses.reads(
      owner,
      async (id) => (await this.#keys.list(id, { limit: 100, cursor })).keys,
    )
    const sorted = all.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    const keys = sorted.slice(0, limit)
    return { keys, nextCursor: sorted.length > limit ? keys.at(-1)?.id : undefined }
  }

  async find(id: string, owner: string | undefined): Promise<EmailKey> {
    const key = await this.#keys.find(id, owner)
    if (key.owner !== '' && (await this.#licenses.owns(key.owner))) return key
    throw new Problem('not-found', { detail: 'there is no such sending key: svc email keys list shows them' })
  }
}
