import { idOfCursor } from '../../../kernel/cursor.ts'
import { readDomainName } from '../../../kernel/domain-name.ts'
import type { Log } from '../../../kernel/log.ts'
import { Problem } from '../../../kernel/problem.ts'
import { PLATFORM, type Scope } from '../../../kernel/scope.ts'
import type { Base } from '../../../platform/base.ts'
import type { DnsClient } from '../../../platform/dns/dns-client.ts'
import { placeOf } from '../../../platform/secrets/secrets-store.ts'
import { newDkimPair } from './dkim-key.ts'
import { CHECK_MS, checkDomain } from './domain-check.ts'
import { type DomainHealth, HEALTH_DAYS, healthOf } from './domain-health.ts'
import { type DomainRecord, type RecordPolicy, recordsOf } from './domain-records.ts'
import { type DomainJudgement, judgeDomain } from './domain-status.ts'
import { type DkimKey, DOMAINS_PER_OWNER, type EmailDomain, type Findings } from './email-domain.ts'

/** Dependencies of `EmailDomains`. */
export interface EmailDomainsParts
  extends Pick<Base, 'storage' | 'clock' | 'ids' | 'log' | 'keyring' | 'config'> {
  readonly dns: DnsClient
}

/** A page of domains, with the cursor of the next page. */
export interface EmailDomainPage {
  readonly domains: readonly EmailDomain[]
  readonly nextCursor: string | undefined
}

/** Result of a check that somebody asked for. */
export interface Verification {
  readonly domain: EmailDomain
  /** Whether every required record is verified. */
  readonly verified: boolean
  /** Whether the status of the domain is another one than before. */
  readonly changed: boolean
}

const LEASE_SECONDS = 60
const CHECKED_AT_ONCE = 5
const SELECTOR_BYTES = 6

/** Domains that messages may be sent from: their keys, the records to publish, and whether they are there. */
export class EmailDomains {
  readonly #parts: EmailDomainsParts

  constructor(parts: EmailDomainsParts) {
    this.#parts = parts
  }

  /** Rules of the settings about records. */
  get policy(): RecordPolicy {
    const { spfInclude: include, spfIps: ips, requireDmarc } = this.#parts.config.email
    return { include, ips, requireDmarc }
  }

  /**
   * Adds a domain with a DKIM key of its own; the same domain again is returned as it is.
   * @throws Problem `email-domains-not-configured`, `invalid-input`, `domain-limit`, `secrets-not-configured`
   */
  async add(
    owner: string,
    given: string,
  ): Promise<{ readonly domain: EmailDomain; readonly isNew: boolean }> {
    const { storage, clock, ids } = this.#parts
    this.#requireOpen()
    const name = readDomainName(given)
    if (name === undefined)
      throw new Problem('invalid-input', { details: ['name: not a registrable domain'] })
    const present = await storage.emailDomains.named(owner, name)
    if (present !== undefined) return { domain: present, isNew: false }
    const id = ids.next('dom')
    const key = await this.#newKey(placeOf('emailDomains', id))
    const made = { id, owner, name, key }
    const added = await storage.emailDomains.add(made, DOMAINS_PER_OWNER, clock.statementTime())
    if (added === undefined) throw new Problem('domain-limit')
    return added
  }

  /** Lists the domains of a scope by id. @throws Problem `invalid-input` for a bad cursor */
  async list(scope: Scope, page: { limit: number; cursor?: string | undefined }): Promise<EmailDomainPage> {
    const { limit } = page
    const after = idOfCursor(page.cursor, 'dom')
    const found = await this.#parts.storage.emailDomains.list(scope, { after, limit: limit + 1 })
    const domains = found.slice(0, limit)
    return { domains, nextCursor: found.length > limit ? domains.at(-1)?.id : undefined }
  }

  /** Returns a domain of a scope. @throws Problem `not-found` */
  async find(scope: Scope, id: string): Promise<EmailDomain> {
    const domain = await this.#parts.storage.emailDomains.find(scope, id)
    if (domain === undefined) throw noDomain()
    return domain
  }

  /** Returns the stored health of a domain: nothing is looked up. @throws Problem `not-found` */
  async health(scope: Scope, id: string): Promise<DomainHealth> {
    const { storage, clock } = this.#parts
    const domain = await this.find(scope, id)
    return healthOf(domain, await storage.emailMessages.counts(id, HEALTH_DAYS, clock.statementTime()))
  }

  /** The records of a domain. */
  recordsOf(domain: EmailDomain): readonly DomainRecord[] {
    return recordsOf(domain, this.policy)
  }

  /**
   * Checks a domain now.
   * @throws Problem `not-found`, `email-domains-not-configured`, `conflict` while another check runs
   */
  async verify(scope: Scope, id: string, signal?: AbortSignal): Promise<Verification> {
    this.#requireOpen()
    await this.find(scope, id)
    const [checked] = await this.#check(1, id, signal)
    if (checked !== undefined) return checked
    throw new Problem('conflict', { detail: 'a check of this domain runs at this moment' })
  }

  /** Checks every domain that is due, until none is left. Returns how many were checked. */
  async checkDue(signal?: AbortSignal): Promise<number> {
    if (!this.isConfigured) return 0
    let checked = 0
    for (;;) {
      if (signal?.aborted) return checked
      const some = await this.#check(CHECKED_AT_ONCE, undefined, signal)
      checked += some.length
      if (some.length === 0) return checked
    }
  }

  /**
   * Makes the next DKIM key. The present one signs until a check finds the record of the next one.
   * @throws Problem `not-found`, `secrets-not-configured`
   */
  async rotate(id: string): Promise<EmailDomain> {
    const { storage, clock } = this.#parts
    await this.find(PLATFORM, id)
    const next = await this.#newKey(placeOf('emailDomainsNext', id))
    const domain = await storage.emailDomains.setNext(id, next, clock.statementTime())
    if (domain === undefined) throw noDomain()
    return domain
  }

  /** Removes a domain. @throws Problem `not-found` */
  async remove(id: string): Promise<EmailDomain> {
    const domain = await this.find(PLATFORM, id)
    if (!(await this.#parts.storage.emailDomains.remove(id))) throw noDomain()
    return domain
  }

  /** Whether the settings say which servers send. */
  get isConfigured(): boolean {
    const { config } = this.#parts
    const { include, ips } = this.policy
    return config.faults.email === undefined && (include !== undefined || ips.length > 0)
  }

  #requireOpen(): void {
    if (!this.isConfigured) throw new Problem('email-domains-not-configured')
  }

  async #newKey(place: string): Promise<DkimKey> {
    const { ids, keyring } = this.#parts
    // Refused before a key is made, which is work.
    keyring.seal('', place)
    const { privateKey, publicKey } = await newDkimPair()
    const selector = `svc${Buffer.from(ids.secret(SELECTOR_BYTES), 'base64url').toString('hex')}`
    return { selector, privateKey: keyring.seal(privateKey, place), publicKey }
  }

  async #check(
    limit: number,
    id: string | undefined,
    signal?: AbortSignal,
  ): Promise<readonly Verification[]> {
    const { storage, clock, ids } = this.#parts
    const token = ids.secret(16)
    const request = { token, leaseSeconds: LEASE_SECONDS, limit, id }
    const taken = await storage.emailDomains.takeDue(request, clock.statementTime())
    const timeout = AbortSignal.timeout(CHECK_MS)
    const within = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
    const checked = await Promise.all(taken.map((domain) => this.#checkOne(domain, token, within)))
    return checked.filter((each) => each !== undefined)
  }

  async #checkOne(
    domain: EmailDomain,
    token: string,
    signal: AbortSignal,
  ): Promise<Verification | undefined> {
    const { storage, clock, dns, log, config } = this.#parts
    const configured = config.email.dnsServers
    const servers = configured.length > 0 ? configured : dns.systemServers()
    const findings = await checkDomain(domain, { dns, servers, spf: this.policy, signal })
    const promoted = this.#promoted(domain, findings)
    const kept = promoted === undefined ? findings : promotedFindings(findings)
    const judged = judgeDomain(domain, kept, { requireDmarc: this.policy.requireDmarc, now: clock.now() })
    const settlement = { id: domain.id, token, findings: kept, promoted, ...judged }
    const after = await storage.emailDomains.settle(settlement, clock.statementTime())
    if (after === undefined) return undefined
    const changed = after.status !== domain.status
    if (changed) this.#tell(log, after, judged)
    return { domain: after, verified: judged.isVerified, changed }
  }

  #tell(log: Log, { id, name, status }: EmailDomain, { isVerified }: DomainJudgement): void {
    const fields = { domain: id, name, status }
    if (isVerified) log.info(fields, 'email domain verified')
    else log.warn(fields, 'email domain no longer verified')
  }

  // The sealed text is bound to its column, so that it is sealed anew for the other one.
  #promoted({ id, next }: EmailDomain, { next: found }: Findings): DkimKey | undefined {
    if (next === undefined || found?.status !== 'verified') return undefined
    const { keyring } = this.#parts
    const privateKey = keyring.open(next.privateKey, placeOf('emailDomainsNext', id))
    return { ...next, privateKey: keyring.seal(privateKey, placeOf('emailDomains', id)) }
  }
}

function promotedFindings({ next, ...rest }: Findings): Findings {
  return next === undefined ? rest : { ...rest, dkim: next }
}

/** Returns the refusal of a domain that does not exist, for any caller. */
export const noDomain = (): Problem =>
  new Problem('not-found', { detail: 'there is no such domain: svc email domains list shows them' })
