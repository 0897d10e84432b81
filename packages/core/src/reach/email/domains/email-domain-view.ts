import { optional } from 'superstruct'
import { unixSeconds } from '../../../kernel/clock.ts'
import { present } from '../../../kernel/present.ts'
import {
  finite,
  flag,
  listOf,
  namedShape,
  namedWords,
  oneOf,
  shape,
  text,
  whole,
} from '../../../kernel/validation.ts'
import { type DomainHealth, HEALTH_DAYS } from './domain-health.ts'
import type { DomainRecord } from './domain-records.ts'
import { EMAIL_DOMAIN_STATUSES, type EmailDomain, RECORD_STATUSES } from './email-domain.ts'

const recordView = ({ record, name, host, value, required, ...finding }: DomainRecord) => {
  const { status, detail, found, from } = finding
  return {
    record,
    type: 'TXT' as const,
    name,
    host,
    // A policy that is inherited needs no record of its own.
    ...(from === undefined ? { value } : {}),
    required,
    status,
    ...present('detail', detail),
    ...present('found', found),
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

/** Returns the health of a domain as its owner and operators see it. */
export const domainHealthView = ({ domain, keyBits, bounceRate, ...numbers }: DomainHealth) => {
  const { dkim, spf, dmarc } = domain.findings
  const { sent, accepted, deferred, bounced, suppressed, issues } = numbers
  return {
    id: domain.id,
    name: domain.name,
    status: domain.status,
    window_days: HEALTH_DAYS,
    sent,
    accepted,
    deferred,
    bounced,
    suppressed,
    bounce_rate: bounceRate,
    checks: {
      dkim: { status: dkim?.status ?? 'pending', selector: domain.key.selector, key_bits: keyBits },
      spf: {
        status: spf?.status ?? 'pending',
        ...(spf?.lookups === undefined ? {} : { lookups: spf.lookups }),
      },
      dmarc: {
        status: dmarc?.status ?? 'pending',
        ...(dmarc?.policy === undefined ? {} : { policy: dmarc.policy }),
        ...(dmarc?.inherited === undefined ? {} : { inherited: dmarc.inherited }),
      },
    },
    issues: [...issues],
    checked_at: unixSeconds(domain.checkedAt),
  }
}
/** The health of a domain as its owner and operators see it. */
export type DomainHealthView = ReturnType<typeof domainHealthView>

const second = whole(0, Number.MAX_SAFE_INTEGER)
const word = text(0, 2048)
namedWords('RecordStatus', RECORD_STATUSES)
namedWords('EmailDomainStatus', EMAIL_DOMAIN_STATUSES)
const record = namedShape('DomainRecord', {
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
const domain = namedShape('EmailDomain', {
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
  added: { domain, created: flag() },
  list: { domains: listOf(domain, 100), next_cursor: optional(word) },
  health: {
    id: word,
    name: word,
    status: oneOf(EMAIL_DOMAIN_STATUSES),
    window_days: second,
    sent: second,
    accepted: second,
    deferred: second,
    bounced: second,
    suppressed: second,
    bounce_rate: finite(),
    checks: shape({
      dkim: shape({ status: oneOf(RECORD_STATUSES), selector: word, key_bits: second }),
      spf: shape({ status: oneOf(RECORD_STATUSES), lookups: optional(second) }),
      dmarc: shape({
        status: oneOf(RECORD_STATUSES),
        policy: optional(word),
        inherited: optional(flag()),
      }),
    }),
    issues: listOf(
      shape({ code: word, severity: oneOf(['info', 'warning', 'critical']), message: word }),
      20,
    ),
    checked_at: second,
  },
  checked: { domain, verified: flag(), changed: flag() },
} as const
