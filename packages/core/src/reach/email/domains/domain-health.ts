import type { RecipientCounts } from '../sending/email-messages-store.ts'
import { DKIM_BITS } from './dkim-key.ts'
import type { EmailDomain, RecordFinding, RecordKey } from './email-domain.ts'

/** Days that the numbers are about. */
export const HEALTH_DAYS = 7

/** Something that its owner should look at. */
export interface HealthIssue {
  readonly code: string
  readonly severity: 'info' | 'warning' | 'critical'
  readonly message: string
}

/** Numbers and checks of a domain, as they are stored: nothing is asked for. */
export interface DomainHealth {
  readonly domain: EmailDomain
  /** Recipients that messages of the last days were sent to, or were to be. */
  readonly sent: number
  readonly accepted: number
  readonly deferred: number
  readonly bounced: number
  readonly suppressed: number
  /** Bounced of sent, from 0 to 1. */
  readonly bounceRate: number
  readonly keyBits: number
  readonly issues: readonly HealthIssue[]
}

const FEW_SENT = 20
const HIGH_RATE = 0.05
const MANY_LOOKUPS = 8

/** Judges a domain by the results of its last check and the recipients of the last days. */
export function healthOf(domain: EmailDomain, counts: RecipientCounts): DomainHealth {
  const { accepted, deferred, bounced, suppressed, failed, unknown, queued } = counts
  const sent = accepted + deferred + bounced + failed + unknown + queued
  const bounceRate = sent === 0 ? 0 : Math.round((bounced / sent) * 10_000) / 10_000
  const issues = [...recordIssues(domain), ...rateIssues(sent, bounceRate)]
  return { domain, sent, accepted, deferred, bounced, suppressed, bounceRate, keyBits: DKIM_BITS, issues }
}

function recordIssues({ findings }: EmailDomain): HealthIssue[] {
  const keys: readonly RecordKey[] = ['dkim', 'spf', 'dmarc']
  return [...keys.flatMap((key) => issuesOf(key, findings[key])), ...policyIssues(findings.dmarc)]
}

function issuesOf(key: RecordKey, finding: RecordFinding | undefined): HealthIssue[] {
  const { status = 'pending', detail, lookups = 0 } = finding ?? {}
  const name = key.toUpperCase()
  const isUnsure = status === 'pending' || status === 'temporary_failure'
  const wrong: HealthIssue = {
    code: `${key}_${status}`,
    severity: isUnsure ? 'info' : 'critical',
    message: detail === undefined ? `${name}: ${status}` : `${name}: ${detail}`,
  }
  const costly: HealthIssue = {
    code: 'spf_lookups_high',
    severity: 'warning',
    message: `The SPF record costs ${lookups} of 10 look-ups.`,
  }
  return [...(status === 'verified' ? [] : [wrong]), ...(lookups >= MANY_LOOKUPS ? [costly] : [])]
}

const policyIssues = (finding: RecordFinding | undefined): HealthIssue[] =>
  finding?.status === 'verified' && finding.policy === 'none'
    ? [
        {
          code: 'dmarc_policy_none',
          severity: 'info',
          message: 'The DMARC policy is none: receivers deliver forged mail of this domain.',
        },
      ]
    : []

const rateIssues = (sent: number, rate: number): HealthIssue[] =>
  sent >= FEW_SENT && rate > HIGH_RATE
    ? [
        {
          code: 'bounce_rate_high',
          severity: 'warning',
          message: `${Math.round(rate * 100)} of 100 recipients bounced.`,
        },
      ]
    : []
