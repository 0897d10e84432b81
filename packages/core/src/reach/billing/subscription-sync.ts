import { present } from '../../kernel/present.ts'
import type { License } from '../../people/licenses/license.ts'
import type { Base } from '../../platform/base.ts'
import type { Stores } from '../../platform/storage/storage.ts'
import { billed, isSameBilling } from './license-billing.ts'
import type { PaymentProvider } from './payment-provider.ts'
import {
  type EventPlace,
  governing,
  isAfter,
  isLive,
  knownStatus,
  type ParkedReason,
  type StoredSubscription,
  type Subscription,
  settled,
  tierOf,
} from './subscription.ts'

/** Dependencies of `SubscriptionSync`. */
export interface SubscriptionSyncParts extends Pick<Base, 'storage' | 'clock' | 'ids' | 'config'> {
  /** Undefined without a key of the provider. */
  readonly provider: PaymentProvider | undefined
}

/** Why a subscription is synced. */
export interface SyncCause {
  /** The name in the audit log. */
  readonly actor: string
  readonly eventId?: string | undefined
  /** The license of the checkout that it came from. */
  readonly checkoutLicenseId?: string | undefined
  /** An invoice of it whose payment failed, and when. */
  readonly failedInvoice?: { readonly id: string; readonly at: Date } | undefined
}

/** A subscription with its order among states of the same id. */
export interface Told {
  readonly subscription: Subscription
  readonly token: number
  /** The place of the event that told it; undefined if the provider was asked. */
  readonly place?: EventPlace | undefined
}

/** The outcome of a sync. `stale`: a later one came first, and nothing was changed. */
export type SyncOutcome =
  | { readonly kind: 'applied' | 'stale'; readonly licenseId: string }
  | {
      readonly kind: 'parked'
      readonly reason: ParkedReason | 'unknown_license' | 'license_changed'
      readonly licenseId?: string | undefined
    }

/** Statuses of a subscription with an invoice that is being collected. */
const OWING: ReadonlySet<string | undefined> = new Set(['past_due', 'unpaid'])

/** Brings a license in line with its subscription. The order of the notices does not count. */
export class SubscriptionSync {
  readonly #parts: SubscriptionSyncParts

  constructor(parts: SubscriptionSyncParts) {
    this.#parts = parts
  }

  /**
   * Asks the provider for a subscription; undefined if it has none. No transaction may be open meanwhile.
   * @throws PaymentProviderError
   */
  async ask(provider: PaymentProvider, id: string): Promise<Told | undefined> {
    const token = await this.#parts.storage.billing.nextToken()
    const subscription = await provider.subscription(id)
    return subscription && { subscription, token }
  }

  /** Applies a told state in a transaction of its own. */
  apply(told: Told, cause: SyncCause): Promise<SyncOutcome> {
    return this.#parts.storage.transaction((stores) => this.applyIn(stores, told, cause))
  }

  /** Applies a told state, with its consequences. */
  async applyIn(stores: Stores, told: Told, cause: SyncCause): Promise<SyncOutcome> {
    const { subscription, token, place } = told
    const known = await stores.billing.subscription(subscription.id)
    const licenseId = known?.licenseId ?? subscription.licenseId ?? cause.checkoutLicenseId
    const license = licenseId === undefined ? undefined : await stores.billing.lock(licenseId)
    if (license === undefined) return { kind: 'parked', reason: 'unknown_license' }
    const { id } = license
    if (known !== undefined && subscription.licenseId !== undefined && subscription.licenseId !== id)
      return { kind: 'parked', reason: 'license_changed', licenseId: id }
    const all = await stores.billing.subscriptions(id)
    const former = all.find((each) => each.id === subscription.id)
    const isLate = (former?.syncToken ?? 0) >= token || (place && !isAfter(place, former?.lastEvent))
    if (isLate) return { kind: 'stale', licenseId: id }
    const row = this.#rowOf(told, id, former)
    const rows = [...all.filter((each) => each !== former), row]
    const final = await this.#write(stores, rows, row)
    await this.#effects(stores, license, final, cause)
    const reason = final.find((each) => each.id === row.id)?.parkedReason
    if (reason !== undefined) return { kind: 'parked', reason, licenseId: id }
    await this.#dun(stores, id, row, cause)
    return { kind: 'applied', licenseId: id }
  }

  #rowOf(
    { subscription, token, place }: Told,
    licenseId: string,
    former: StoredSubscription | undefined,
  ): StoredSubscription {
    const { items: _, licenseId: __, ...rest } = subscription
    const priced = tierOf(subscription, this.#parts.config.billing.prices)
    const status = knownStatus(subscription.status)
    const tier = typeof priced === 'string' ? former?.tier : priced.tier
    const row = { status }
    // A subscription that once had a tier ends by its own right; one that never had one ends nothing.
    const isUnpriced = typeof priced === 'string' && (isLive(row) || former?.tier === undefined)
    const parkedReason = status === undefined ? 'unknown_status' : isUnpriced ? priced : undefined
    return {
      ...rest,
      // An item beside the tier's, such as support by the year, has a period of its own.
      ...(typeof priced !== 'string' &&
        priced.currentPeriodEnd && { currentPeriodEnd: priced.currentPeriodEnd }),
      licenseId,
      status,
      tier,
      priceId: typeof priced === 'string' ? undefined : priced.priceId,
      syncToken: token,
      liveToken: isLive(row) ? (former?.liveToken ?? token) : undefined,
      lastEvent: place ?? former?.lastEvent,
      parkedReason,
    }
  }

  /**
   * Stores `row`, and parks or frees other subscriptions: parks first, since one at most counts.
   */
  async #write(
    stores: Stores,
    rows: readonly StoredSubscription[],
    row: StoredSubscription,
  ): Promise<readonly StoredSubscription[]> {
    const reasons = new Map(settled(rows).map(({ id, parkedReason }) => [id, parkedReason]))
    const final = rows.map((each) => ({ ...each, parkedReason: reasons.get(each.id) }))
    const changed = rows.filter((each) => each.id !== row.id && each.parkedReason !== reasons.get(each.id))
    const parked = changed.filter(({ id }) => reasons.get(id) !== undefined)
    const freed = changed.filter(({ id }) => reasons.get(id) === undefined)
    for (const { id } of parked) await stores.billing.park(id, reasons.get(id))
    if (!(await stores.billing.put({ ...row, parkedReason: reasons.get(row.id) })))
      throw new Error('a subscription was stored by somebody who did not hold its license')
    for (const { id } of freed) await stores.billing.park(id, undefined)
    return final
  }

  async #effects(
    stores: Stores,
    license: License,
    all: readonly StoredSubscription[],
    cause: SyncCause,
  ): Promise<void> {
    const { clock, ids, config } = this.#parts
    // Somebody pays for something that has no tier: until a person has looked, nothing is taken away.
    const isUnclear = all.some(
      (each) =>
        isLive(each) && each.parkedReason !== undefined && each.parkedReason !== 'duplicate_subscription',
    )
    const ruling = isUnclear ? undefined : governing(all)
    if (ruling === undefined) return
    const after = billed(license, ruling, { graceDays: config.billing.graceDays, now: clock.now() })
    if (isSameBilling(license, after)) return
    const written = await stores.billing.bill(license.id, after)
    // The customer of another license is not taken over, which alone is no news.
    if (written === undefined || isSameBilling(license, written)) return
    const { tier, status, statusReason, billingState, expiresAt } = written
    const input = {
      license: license.id,
      subscription: ruling.id,
      ...present('event', cause.eventId),
      tier,
      status,
      status_reason: statusReason,
      billing_state: billingState,
      expires_at: expiresAt?.toISOString(),
    }
    const entry = { id: ids.next('aud'), actor: cause.actor, operation: 'billing.apply', outcome: 'ok' }
    await stores.audit.add(
      { ...entry, input: JSON.parse(JSON.stringify(input)) as Record<string, unknown> },
      clock.statementTime(),
    )
  }

  async #dun(
    { billing }: Stores,
    licenseId: string,
    { status }: StoredSubscription,
    { failedInvoice }: SyncCause,
  ): Promise<void> {
    if (!OWING.has(status)) await billing.endDunning(licenseId, this.#parts.clock.statementTime())
    else if (failedInvoice !== undefined)
      await billing.openDunning({ licenseId, invoiceId: failedInvoice.id, startedAt: failedInvoice.at })
  }
}
