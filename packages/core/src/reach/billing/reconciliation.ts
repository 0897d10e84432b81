import { isLive, type Prices, type StoredSubscription, type Subscription, tierOf } from './subscription.ts'

/** Kinds of disagreement between the provider and the stored rows. */
export const DRIFTS = ['missing', 'differs', 'gone', 'duplicate'] as const

/** A disagreement. `duplicate`: a license pays twice, which a person ends at the provider. */
export interface Drift {
  readonly kind: (typeof DRIFTS)[number]
  readonly subscriptionId: string
  readonly licenseId: string | undefined
  /** The status there, and here. */
  readonly there: string | undefined
  readonly here: string | undefined
}

/**
 * Says how a subscription of the provider differs from the stored one; a subscription of another product does
 * not.
 */
export function driftOf(
  there: Subscription,
  here: StoredSubscription | undefined,
  prices: Prices,
): Drift | undefined {
  const facts = {
    subscriptionId: there.id,
    licenseId: here?.licenseId ?? there.licenseId,
    there: there.status,
    here: here?.status,
  }
  const priced = tierOf(there, prices)
  if (here === undefined) {
    const isOurs = there.licenseId !== undefined || typeof priced !== 'string'
    return isOurs ? { kind: 'missing', ...facts } : undefined
  }
  const isSame =
    there.status === here.status &&
    there.cancelAt?.getTime() === here.cancelAt?.getTime() &&
    there.currentPeriodEnd?.getTime() === here.currentPeriodEnd?.getTime() &&
    (typeof priced === 'string' || priced.tier === here.tier)
  if (!isSame) return { kind: 'differs', ...facts }
  return here.parkedReason === 'duplicate_subscription' ? { kind: 'duplicate', ...facts } : undefined
}

/** Stored subscriptions that the provider does not list as current any more. */
export function goneFrom(
  there: readonly Subscription[],
  here: readonly StoredSubscription[],
): readonly Drift[] {
  const known = new Set(there.map(({ id }) => id))
  return here
    .filter((each) => isLive(each) && !known.has(each.id))
    .map(({ id, licenseId, status }) => ({
      kind: 'gone',
      subscriptionId: id,
      licenseId,
      there: undefined,
      here: status,
    }))
}
