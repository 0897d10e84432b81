import type { EmailDomain, EmailDomainStatus, Findings, RecordStatus } from './email-domain.ts'

const MINUTE = 60
const HOUR = 3600
/** How long a domain may be wrong before it fails. */
export const PATIENCE_SECONDS = 72 * HOUR
const YOUNG_SECONDS = 2 * HOUR

/** The result of a check for the domain as a whole. */
export interface DomainJudgement {
  readonly status: EmailDomainStatus
  readonly failingSince: Date | undefined
  /** Seconds until the next check; undefined: only when somebody asks. */
  readonly delaySeconds: number | undefined
  /** Whether every required record is verified. */
  readonly isVerified: boolean
}

const secondsSince = (then: Date, now: Date): number => (now.getTime() - then.getTime()) / 1000

/**
 * Judges a domain by the findings about its required records. A record that nobody answered for moves
 * nothing: neither does it verify, nor does it count as wrong.
 */
export function judgeDomain(
  domain: Pick<EmailDomain, 'status' | 'createdAt' | 'failingSince'>,
  findings: Findings,
  { requireDmarc, now }: { readonly requireDmarc: boolean; readonly now: Date },
): DomainJudgement {
  const required = [findings.dkim, findings.spf, ...(requireDmarc ? [findings.dmarc] : [])]
  const statuses = required.map((finding): RecordStatus => finding?.status ?? 'pending')
  const isVerified = statuses.every((status) => status === 'verified')
  const isWrong = statuses.some((each) => each !== 'verified' && each !== 'temporary_failure')
  const isUnsure = statuses.includes('temporary_failure')
  const moved = isVerified ? verified : isWrong ? wrong(domain, now) : keptOf(domain)
  const delaySeconds = isUnsure ? 10 * MINUTE : delayOf(moved.status, secondsSince(domain.createdAt, now))
  return { ...moved, delaySeconds, isVerified }
}

type Moved = Pick<DomainJudgement, 'status' | 'failingSince'>

const verified: Moved = { status: 'verified', failingSince: undefined }
const keptOf = ({ status, failingSince }: Moved): Moved => ({ status, failingSince })

function wrong(
  { status, createdAt, failingSince }: Pick<EmailDomain, 'status' | 'createdAt' | 'failingSince'>,
  now: Date,
): Moved {
  switch (status) {
    case 'pending':
      return {
        status: secondsSince(createdAt, now) > PATIENCE_SECONDS ? 'failed' : 'pending',
        failingSince: undefined,
      }
    case 'verified':
      return { status: 'degraded', failingSince: now }
    case 'degraded':
      return {
        status: secondsSince(failingSince ?? now, now) > PATIENCE_SECONDS ? 'failed' : 'degraded',
        failingSince: failingSince ?? now,
      }
    case 'failed':
      return { status, failingSince }
  }
}

function delayOf(status: EmailDomainStatus, age: number): number | undefined {
  switch (status) {
    case 'pending':
      return age < YOUNG_SECONDS ? 10 * MINUTE : 6 * HOUR
    case 'verified':
      return 24 * HOUR
    case 'degraded':
      return HOUR
    case 'failed':
      return undefined
  }
}
