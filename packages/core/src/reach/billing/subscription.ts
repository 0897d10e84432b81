/** States of a subscription, in the words of the provider. */
export const SUBSCRIPTION_STATUSES = [
  'incomplete',
  'incomplete_expired',
  'trialing',
  'active',
  'past_due',
  'unpaid',
  'paused',
  'canceled',
] as const
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number]

/** A subscription as the provider tells it. */
export interface Subscription {
  readonly id: string
  /** The license that it was made for, as its metadata says, which may hold anything. */
  readonly licenseId: string | undefined
  readonly customerId: string
  /** A status that this release does not know is a text of its own. */
  readonly status: string
  /** When it is going to be canceled; undefined if it renews. */
  readonly cancelAt: Date | undefined
  /** The last end of a period of its items. */
  readonly currentPeriodEnd: Date | undefined
  readonly endedAt: Date | undefined
  readonly createdAt: Date
  readonly items: readonly SubscriptionItem[]
}

/** An item of a subscription. Each may have a period of its own. */
export interface SubscriptionItem {
  readonly priceId: string
  readonly currentPeriodEnd: Date | undefined
}

/** Why a subscription does not count for its license. */
export const PARKED_REASONS = [
  'unknown_price',
  'ambiguous_price',
  'unknown_status',
  'duplicate_subscription',
] as const
export type ParkedReason = (typeof PARKED_REASONS)[number]

/** A subscription of a license as it is stored. */
export interface StoredSubscription extends Omit<Subscription, 'items' | 'licenseId' | 'status'> {
  readonly licenseId: string
  readonly priceId: string | undefined
  /** The tier of its price; undefined if no tier has it. */
  readonly tier: string | undefined
  readonly status: SubscriptionStatus | undefined
  /** The sync with the higher token began later, and wins. */
  readonly syncToken: number
  /** The token of the sync that found it paid for first; undefined while it is not. */
  readonly liveToken: number | undefined
  /** The event that was applied last, when events are applied as they are told. */
  readonly lastEvent: EventPlace | undefined
  readonly parkedReason: ParkedReason | undefined
}

/** The place of an event among its subscription's events. */
export interface EventPlace {
  readonly createdAt: Date
  /** Decides between events of one second: created, updated, deleted. */
  readonly rank: number
}

const LIVE: ReadonlySet<string | undefined> = new Set(['trialing', 'active', 'past_due'])
/**
 * Statuses of a subscription that gives its license the paid tier. A license has one of these at most.
 */
export const LIVE_STATUSES = ['trialing', 'active', 'past_due'] as const satisfies SubscriptionStatus[]

/** Whether a subscription gives its license the paid tier. */
export const isLive = ({ status }: { readonly status: string | undefined }): boolean => LIVE.has(status)

/** The status, if this release knows it. */
export const knownStatus = (status: string): SubscriptionStatus | undefined =>
  SUBSCRIPTION_STATUSES.find((each) => each === status)

/** Whether `event` comes after the last applied one: later, or in the same second of a higher rank. */
export const isAfter = (event: EventPlace, last: EventPlace | undefined): boolean =>
  last === undefined ||
  event.createdAt > last.createdAt ||
  (event.createdAt.getTime() === last.createdAt.getTime() && event.rank > last.rank)

/** Tiers by the id of their price. */
export type Prices = Readonly<Record<string, string>>

/** An item that has a tier. */
export interface PricedItem extends SubscriptionItem {
  readonly tier: string
}

/**
 * The item of a subscription that has a tier, or why there is none. Items without a tier may stand beside.
 * The one whose period ends last counts, of several items of one tier.
 */
export function tierOf(
  { items }: Pick<Subscription, 'items'>,
  prices: Prices,
): PricedItem | 'unknown_price' | 'ambiguous_price' {
  const known = items.flatMap((item): PricedItem[] => {
    const tier = Object.hasOwn(prices, item.priceId) ? prices[item.priceId] : undefined
    return tier === undefined ? [] : [{ ...item, tier }]
  })
  const [first] = known
  if (first === undefined) return 'unknown_price'
  if (!known.every(({ tier }) => tier === first.tier)) return 'ambiguous_price'
  return known.reduce((last, each) => (endOf(each) > endOf(last) ? each : last))
}

const endOf = ({ currentPeriodEnd }: SubscriptionItem): number => currentPeriodEnd?.getTime() ?? 0

type Settled = Pick<StoredSubscription, 'id' | 'parkedReason'>

/**
 * Says which of a license's subscriptions count: of several that are live, the first that was. The others are
 * parked for as long as it is.
 */
export function settled(all: readonly StoredSubscription[]): readonly Settled[] {
  const [first] = all
    .filter((each) => isLive(each) && !isBad(each))
    .sort((one, other) => (one.liveToken ?? 0) - (other.liveToken ?? 0))
  return all.map((each) => {
    if (isBad(each)) return each
    const isSecond = isLive(each) && each.id !== first?.id
    return { id: each.id, parkedReason: isSecond ? 'duplicate_subscription' : undefined }
  })
}

const isBad = ({ parkedReason }: StoredSubscription): boolean =>
  parkedReason !== undefined && parkedReason !== 'duplicate_subscription'

// An attempt that was never paid says less than any other.
const weight = ({ status }: StoredSubscription): number =>
  status === 'incomplete' || status === 'incomplete_expired' ? 0 : 1

/**
 * The subscription that decides a license's standing: the live one, else the newest. The order of the notices
 * does not matter.
 */
export function governing(all: readonly StoredSubscription[]): StoredSubscription | undefined {
  const counting = all.filter(({ parkedReason }) => parkedReason === undefined)
  const live = counting.find(isLive)
  if (live !== undefined) return live
  const [newest] = counting.sort(
    (one, other) =>
      weight(other) - weight(one) || +other.createdAt - +one.createdAt || (one.id < other.id ? 1 : -1),
  )
  return newest
}
