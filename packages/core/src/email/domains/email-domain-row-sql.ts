import { instant, maybeInstant } from '../../database/values.ts'
import type { EmailDomain, EmailDomainStatus, Findings } from './email-domain.ts'

/** A row of `email_domains`. */
export interface EmailDomainRow {
  readonly id: string
  readonly owner: string
  readonly name: string
  readonly selector: string
  readonly dkim_key: string
  readonly dkim_public: string
  readonly next_selector: string | null
  readonly next_key: string | null
  readonly next_public: string | null
  readonly status: EmailDomainStatus
  readonly findings: Findings
  readonly created_at: string
  readonly failing_since: string | null
  readonly next_check_at: string | null
  readonly verified_at: string | null
  readonly checked_at: string | null
}

/** Returns the domain of a row. */
export function toEmailDomain(row: EmailDomainRow): EmailDomain {
  const { id, owner, name, status, findings, next_selector, next_key, next_public } = row
  const next =
    next_selector === null
      ? undefined
      : { selector: next_selector, privateKey: next_key ?? '', publicKey: next_public ?? '' }
  return {
    id,
    owner,
    name,
    key: { selector: row.selector, privateKey: row.dkim_key, publicKey: row.dkim_public },
    next,
    status,
    findings,
    createdAt: instant(row.created_at),
    failingSince: maybeInstant(row.failing_since),
    nextCheckAt: maybeInstant(row.next_check_at),
    verifiedAt: maybeInstant(row.verified_at),
    checkedAt: maybeInstant(row.checked_at),
  }
}
