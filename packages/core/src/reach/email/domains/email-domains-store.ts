import type { Scope } from '../../../kernel/scope.ts'
import type { DkimKey, EmailDomain, EmailDomainStatus, Findings } from './email-domain.ts'

/** A new domain; it is due for a check at once. */
export type NewEmailDomain = Pick<EmailDomain, 'id' | 'owner' | 'name' | 'key'>

/** Page of a list, ordered by id. */
export interface EmailDomainPage {
  /** Only domains with a later id. */
  readonly after?: string | undefined
  readonly limit: number
}

/** Which domains a check takes. */
export interface TakeDomainsRequest {
  /** Names the lease: only its holder records a result. */
  readonly token: string
  readonly leaseSeconds: number
  readonly limit: number
  /** The one domain to take, due or not. */
  readonly id?: string | undefined
}

/** Result of a check. */
export interface DomainSettlement {
  readonly id: string
  readonly token: string
  readonly status: EmailDomainStatus
  readonly findings: Findings
  readonly failingSince: Date | undefined
  /** Whether every required record was verified now. */
  readonly isVerified: boolean
  readonly delaySeconds: number | undefined
  /** The key that signs from now on: the next one, if it was the next one when the check began. */
  readonly promoted: DkimKey | undefined
}

declare module '../../../platform/storage/storage.ts' {
  interface Stores {
    readonly emailDomains: EmailDomainsStore
  }
}

/** Storage of sending domains. */
export interface EmailDomainsStore {
  /**
   * Adds a domain, if its owner has fewer than `limit`. Returns the present one if the owner has one of this
   * name, and undefined if there is no room.
   */
  add(
    domain: NewEmailDomain,
    limit: number,
    now?: Date,
  ): Promise<{ readonly domain: EmailDomain; readonly isNew: boolean } | undefined>
  find(scope: Scope, id: string): Promise<EmailDomain | undefined>
  /** The domain of this owner with this name. */
  named(owner: string, name: string): Promise<EmailDomain | undefined>
  list(scope: Scope, page: EmailDomainPage): Promise<readonly EmailDomain[]>
  /** Sets or replaces the key that a rotation made; the domain is due for a check at once. */
  setNext(id: string, next: DkimKey, now?: Date): Promise<EmailDomain | undefined>
  /** Removes a domain. Returns false if there was none. */
  remove(id: string): Promise<boolean>
  /** Takes domains that are due under a lease, longest due first; none that another check holds. */
  takeDue(request: TakeDomainsRequest, now?: Date): Promise<readonly EmailDomain[]>
  /** Records the result of a check and ends the lease. Returns undefined if the lease is no longer held. */
  settle(settlement: DomainSettlement, now?: Date): Promise<EmailDomain | undefined>
}
