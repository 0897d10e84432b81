/** States of a sending domain; in `verified` and `degraded` it may send. */
export const EMAIL_DOMAIN_STATUSES = ['pending', 'verified', 'degraded', 'failed'] as const
export type EmailDomainStatus = (typeof EMAIL_DOMAIN_STATUSES)[number]

/** States of one record. `temporary_failure`: there was no answer, which proves nothing. */
export const RECORD_STATUSES = [
  'pending',
  'verified',
  'missing',
  'mismatch',
  'conflict',
  'invalid',
  'insecure',
  'temporary_failure',
] as const
export type RecordStatus = (typeof RECORD_STATUSES)[number]

/** The records of a domain; `next` is the DKIM record of the key that a rotation made. */
export const RECORD_KEYS = ['dkim', 'next', 'spf', 'dmarc'] as const
export type RecordKey = (typeof RECORD_KEYS)[number]

/** Result of the last check for one record. */
export interface RecordFinding {
  readonly status: RecordStatus
  /** One sentence for the owner of the domain. */
  readonly detail?: string
  /** The values that are published: at most 3, of at most 256 characters each. */
  readonly found?: readonly string[]
  /** DNS look-ups that the SPF record costs its receivers. */
  readonly lookups?: number
  /** The DMARC policy that applies. */
  readonly policy?: string
  /** Whether that policy is published by a domain above. */
  readonly inherited?: boolean
  /** Whether this domain need not publish the record, because one above it does. */
  readonly from?: string
}

/** Result of the last check. A record that was never checked is absent. */
export type Findings = Readonly<Partial<Record<RecordKey, RecordFinding>>>

/** A DKIM key: RSA, 2048 bits. */
export interface DkimKey {
  /** The label before `._domainkey`. */
  readonly selector: string
  /** The private key in PEM, sealed. */
  readonly privateKey: string
  /** The public key, SPKI in base64: the tag `p` of its record. */
  readonly publicKey: string
}

/** A domain whose addresses its owner may send from. */
export interface EmailDomain {
  readonly id: string
  /** Id of the license that it belongs to; `''` for a domain of the platform. */
  readonly owner: string
  /** In lower case, without a trailing dot, with A-labels. */
  readonly name: string
  readonly key: DkimKey
  /** The key that a rotation made, until its record is verified. */
  readonly next: DkimKey | undefined
  readonly status: EmailDomainStatus
  readonly findings: Findings
  readonly createdAt: Date
  /** When a verified domain was first found wrong. */
  readonly failingSince: Date | undefined
  /** Undefined: only when somebody asks. */
  readonly nextCheckAt: Date | undefined
  readonly verifiedAt: Date | undefined
  readonly checkedAt: Date | undefined
}

/** Domains of one owner at most. */
export const DOMAINS_PER_OWNER = 10

/** Whether messages from this domain may leave. */
export const maySend = ({ status }: Pick<EmailDomain, 'status'>): boolean =>
  status === 'verified' || status === 'degraded'
