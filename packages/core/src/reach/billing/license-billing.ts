import type { License } from '../../people/licenses/license.ts'
import type { StoredSubscription } from './subscription.ts'

/** The fields of a license that billing sets. */
export type LicenseBilling = Pick<
  License,
  'tier' | 'status' | 'statusReason' | 'billingState' | 'currentPeriodEnd' | 'expiresAt' | 'customerId'
>

const DAY_MS = 86_400_000

/**
 * The license as its subscription makes it. The decisions of operators stay: a revoked license, one that an
 * operator suspended, and one that an operator let in again although it is not paid.
 */
export function billed(
  license: License,
  subscription: StoredSubscription,
  { graceDays, now }: { readonly graceDays: number; readonly now: Date },
): LicenseBilling {
  const { status, currentPeriodEnd, cancelAt, endedAt, customerId, tier } = subscription
  const facts = { tier: tier ?? license.tier, currentPeriodEnd, customerId }
  const graced = currentPeriodEnd && new Date(currentPeriodEnd.getTime() + graceDays * DAY_MS)
  const kept = { ...same(license), ...facts }
  switch (status) {
    case 'trialing':
    case 'active': {
      const isEnding = cancelAt !== undefined
      const expiresAt = (isEnding ? cancelAt : graced) ?? license.expiresAt
      return { ...kept, ...admitted(license), billingState: isEnding ? 'canceling' : 'active', expiresAt }
    }
    case 'past_due':
      return {
        ...kept,
        ...admitted(license),
        billingState: 'past_due',
        expiresAt: graced ?? license.expiresAt,
      }
    case 'canceled': {
      const end = endedAt ?? now
      const barring = end > now ? {} : barred(license)
      return { ...kept, ...barring, billingState: 'canceled', expiresAt: end }
    }
    case 'incomplete':
      return { ...kept, tier: license.tier, billingState: 'incomplete' }
    case 'paused':
      return { ...kept, ...barred(license), billingState: 'paused' }
    case 'unpaid':
      return { ...kept, ...barred(license), billingState: 'unpaid' }
    case 'incomplete_expired':
      return { ...kept, ...barred(license), tier: license.tier, billingState: 'unpaid' }
    default:
      return same(license)
  }
}

type Standing = Pick<License, 'status' | 'statusReason'>

// A suspension without a reason is from before there were reasons, and an operator's.
function admitted({ status, statusReason }: License): Standing {
  const isOurs = status === 'active' || (status === 'suspended' && statusReason === 'billing')
  return isOurs ? { status: 'active', statusReason: undefined } : { status, statusReason }
}

function barred({ status, statusReason }: License): Standing {
  const isHeld = status !== 'active' || statusReason === 'operator'
  return isHeld ? { status, statusReason } : { status: 'suspended', statusReason: 'billing' }
}

const same = (license: License): LicenseBilling => ({
  tier: license.tier,
  status: license.status,
  statusReason: license.statusReason,
  billingState: license.billingState,
  currentPeriodEnd: license.currentPeriodEnd,
  expiresAt: license.expiresAt,
  customerId: license.customerId,
})

/** Whether two licenses stand alike in everything that billing sets. */
export function isSameBilling(one: LicenseBilling, other: LicenseBilling): boolean {
  const texts = ({ tier, status, statusReason, billingState, customerId }: LicenseBilling) =>
    JSON.stringify([tier, status, statusReason, billingState, customerId])
  const times = ({ currentPeriodEnd, expiresAt }: LicenseBilling) =>
    JSON.stringify([currentPeriodEnd, expiresAt])
  return texts(one) === texts(other) && times(one) === times(other)
}
