/** The beginning of every sending key, which is no license key. */
export const EMAIL_KEY_PREFIX = 'svce_'

/** Whether a bearer credential means to be a sending key, good or not. */
export const isEmailKeyLike = (bearer: string): boolean => bearer.startsWith(EMAIL_KEY_PREFIX)

/** States of a license. `revoked` is final. */
export const LICENSE_STATUSES = ['active', 'suspended', 'revoked'] as const
export type LicenseStatus = (typeof LICENSE_STATUSES)[number]

/** The side that decided on the status of a license. */
export const STATUS_REASONS = ['billing', 'operator'] as const
export type StatusReason = (typeof STATUS_REASONS)[number]

/** How the subscription of a license stands. */
export const BILLING_STATES = [
  'active',
  'canceling',
  'past_due',
  'unpaid',
  'paused',
  'canceled',
  'incomplete',
] as const
export type BillingState = (typeof BILLING_STATES)[number]

/** A license that the database issued. The key itself is never stored, only its SHA-256. */
export interface License {
  readonly id: string
  readonly tenantId: string | undefined
  readonly label: string
  readonly status: LicenseStatus
  /** Undefined for a status that nobody decided on since the license was issued. */
  readonly statusReason: StatusReason | undefined
  readonly expiresAt: Date | undefined
  readonly createdAt: Date
  /** The tier that its holder pays for; undefined: a license without tiers. */
  readonly tier: string | undefined
  /** The address for messages about it. */
  readonly contactEmail: string | undefined
  /** Undefined for a license that never had a subscription. */
  readonly billingState: BillingState | undefined
  readonly currentPeriodEnd: Date | undefined
  /** Its holder at the payment provider. */
  readonly customerId: string | undefined
  /** Its key acts for hosts alone; its other rights need another credential. */
  readonly agentOnly: boolean
}

/** Says whether the rights of a license still hold. */
export interface LicenseStanding {
  isGood(licenseId: string): Promise<boolean>
}

/** Reasons for accepting a key, in the order of the spec (License key validation). */
export type LicenseSource = 'allow-list' | 'issued' | 'development'

/** The checked license that a request acts for: it scopes everything that the request reads and writes. */
export interface Licensee {
  readonly licenseId: string
  readonly source: LicenseSource
  /** The name of the API token that acts for the license; undefined: its key. */
  readonly by?: string | undefined
}

/**
 * The license that a request claims to act for. With `keyDigest`, the SHA-256 of an issued key, nobody has
 * checked it yet: the statement that serves the request checks that the key belongs to the license and that
 * the license is usable at that moment, and otherwise changes nothing. Without it, the license was checked.
 */
export interface LicenseClaim {
  readonly licenseId: string
  readonly keyDigest?: string | undefined
}

/** Plan and features of a license whose tier says nothing else (spec, Activation result). */
export const PLAN = 'business'
export const FEATURES = ['deploy', 'db', 'mcp', 'clone', 'migrate'] as const

const KEY_BYTES = 32
/** Returns a new key: `svc_` and 43 base64url characters of 256 random bits. */
export const newLicenseKey = (secret: (bytes: number) => string): string => `svc_${secret(KEY_BYTES)}`

/** The state of an issued license at an instant. In all but `active` its hosts are refused. */
export type LicenseState = LicenseStatus | 'expired'

/** The state of an issued license at `now`: its status, or `expired` if it is active past its end. */
export const licenseState = (
  { status, expiresAt }: Pick<License, 'status' | 'expiresAt'>,
  now: Date,
): LicenseState => (status === 'active' && expiresAt !== undefined && expiresAt <= now ? 'expired' : status)

/** Whether an issued license is active and has not expired at `now`. */
export const isUsable = (license: Pick<License, 'status' | 'expiresAt'>, now: Date): boolean =>
  licenseState(license, now) === 'active'

/** Whether an issued license may be paid for: one that has expired too, and one that was not paid. */
export const isBillable = ({ status, statusReason }: Pick<License, 'status' | 'statusReason'>): boolean =>
  status === 'active' || (status === 'suspended' && statusReason === 'billing')

/** Why the hosts of an issued license are refused at `now`, and how that ends; undefined if they are not. */
export function shutText(license: License, now: Date): string | undefined {
  const { id, expiresAt } = license
  switch (licenseState(license, now)) {
    case 'active':
      return undefined
    case 'suspended':
      return `license ${id} is suspended, so that its hosts are refused; svc licenses reinstate ${id}`
    case 'revoked':
      return `license ${id} is revoked for good, so that its hosts are refused; svc licenses issue makes another`
    case 'expired':
      return `license ${id} expired at ${expiresAt?.toISOString()}, so that its hosts are refused; svc licenses extend ${id} --expires DATE`
  }
}
