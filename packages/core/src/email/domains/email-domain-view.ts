import { optional } from 'superstruct'
import { unixSeconds } from '../../clock.ts'
import { flag, listOf, oneOf, shape, text, whole } from '../../validation.ts'
import type { DomainRecord } from './domain-records.ts'
import { EMAIL_DOMAIN_STATUSES, type EmailDomain, RECORD_STATUSES } from './email-domain.ts'

const recordView = ({ record, name, host, value, required, ...finding }: DomainRecord) => {
  const { status, detail, found, from } = finding
  return {
    record,
    type: 'TXT',
    name,
    host,
    // A policy that is inherited needs no record of its own.
    ...(from === undefined ? { value } : {}),
    required,
    status,
    ...(detail === undefined ? {} : { detail }),
    ...(found === undefined ? {} : { found }),
  }
}

/** Returns a domain as its owner and operators see it; instants in unix seconds, 0 for never. */
export const emailDomainView = (domain: EmailDomain, records: readonly DomainRecord[]) => ({
  id: domain.id,
  name: domain.name,
  ...(domain.owner === '' ? {} : { license_id: domain.owner }),
  status: domain.status,
  created_at: unixSeconds(domain.createdAt),
  verified_at: unixSeconds(domain.verifiedAt),
  checked_at: unixSeconds(domain.checkedAt),
  records: records.map(recordView),
})
/** A domain as its owner and operators see it. */
export type EmailDomainView = ReturnType<typeof emailDomainView>

const second = whole(0, Number.MAX_SAFE_INTEGER)
const word = text(0, 2048)
const record = shape({
  record: oneOf(['DKIM', 'SPF', 'DMARC']),
  type: oneOf(['TXT']),
  name: word,
  host: word,
  value: optional(word),
  required: flag(),
  status: oneOf(RECORD_STATUSES),
  detail: optional(word),
  found: optional(listOf(word, 3)),
})
const domain = shape({
  id: word,
  name: word,
  license_id: optional(word),
  status: oneOf(EMAIL_DOMAIN_STATUSES),
  created_at: second,
  verified_at: second,
  checked_at: second,
  records: listOf(record, 4),
})

/** Answers of operations on domains. */
export const EMAIL_DOMAIN_ANSWERS = {
  one: { domain },
  list: { domains: listOf(domain, 100), next_cursor: optional(word) },
  checked: { domain, verified: flag(), changed: flag() },
} as const
