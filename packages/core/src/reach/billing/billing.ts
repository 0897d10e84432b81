import { Problem } from '../../kernel/problem.ts'
import { PLATFORM, type Scope } from '../../kernel/scope.ts'
import { isBillable, type License } from '../../people/licenses/license.ts'
import { entitlement } from '../../people/licenses/license-tier.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import type { Tier } from '../../people/licenses/settings.ts'
import type { Base } from '../../platform/base.ts'
import { takesTestMode, tierNames } from './billing-settings.ts'
import type { Checkout, Dunning } from './billing-store.ts'
import { type PaymentProvider, PaymentProviderError } from './payment-provider.ts'
import { signedHeader } from './payment-signature.ts'
import { type Drift, driftOf, goneFrom } from './reconciliation.ts'
import type { StoredSubscription, Subscription } from './subscription.ts'
import type { SubscriptionSync, SyncOutcome } from './subscription-sync.ts'

/** Dependencies of `Billing`. */
export interface BillingParts extends Pick<Base, 'storage' | 'clock' | 'config' | 'log'> {
  readonly licenses: Licenses
  readonly sync: SubscriptionSync
  readonly provider: PaymentProvider | undefined
}

/** A tier with its price, if it is for sale. */
export interface TierOffer extends Tier {
  readonly tier: string
  readonly priceId: string | undefined
}

/** How a license stands. */
export interface BillingStatus {
  readonly license: License
  readonly subscriptions: readonly StoredSubscription[]
  readonly checkout: Checkout | undefined
  readonly dunning: readonly Dunning[]
}

/** A subscription that was synced. */
export interface Synced {
  readonly id: string
  readonly outcome: SyncOutcome | { readonly kind: 'unknown' }
}

/** Billing of licenses, as operators look at it and bring it in line. */
export class Billing {
  readonly #parts: BillingParts

  constructor(parts: BillingParts) {
    this.#parts = parts
  }

  /** The tiers by name. */
  tiers(): readonly TierOffer[] {
    const { config } = this.#parts
    const prices = Object.entries(config.billing.prices)
    return tierNames(config).map((tier) => {
      const [priceId] = prices.find(([, name]) => name === tier) ?? []
      return { tier, priceId, ...entitlement(tier, config.licensing.tiers) }
    })
  }

  /** @throws Problem `not-found` */
  async status(scope: Scope, name: string): Promise<BillingStatus> {
    const { storage, licenses } = this.#parts
    const license = await licenses.named(scope, name)
    const dunning = (await storage.billing.dunning()).filter((each) => each.licenseId === license.id)
    return {
      license,
      subscriptions: await storage.billing.subscriptions(license.id),
      checkout: await storage.billing.liveCheckout(license.id),
      dunning,
    }
  }

  /**
   * Returns the license whose holder may pay for it: also one that has expired, and one that is suspended
   * because it was not paid.
   * @throws Problem `unauthorized`, `not-billable` for a key that was never issued
   */
  async holderOf(key: string): Promise<string> {
    const { licenses } = this.#parts
    const license = await licenses.byKey(key)
    if (license === undefined) {
      if ((await licenses.validate(key)) === undefined) throw new Problem('unauthorized')
      throw new Problem('not-billable')
    }
    if (isBillable(license)) return license.id
    throw new Problem('unauthorized')
  }

  /**
   * Asks the provider for a subscription, or for all known ones of a license, and applies their state.
   * @throws Problem `not-found`, `billing-not-configured`, `payment-provider`
   */
  async sync(name: string, actor: string): Promise<readonly Synced[]> {
    const { storage, licenses, sync } = this.#parts
    const provider = this.#provider()
    const ids = name.startsWith('sub_')
      ? [name]
      : (await storage.billing.subscriptions((await licenses.named(PLATFORM, name)).id)).map(({ id }) => id)
    const synced: Synced[] = []
    for (const id of ids) {
      const told = await this.#asked(() => sync.ask(provider, id))
      const outcome = told === undefined ? ({ kind: 'unknown' } as const) : await sync.apply(told, { actor })
      synced.push({ id, outcome })
    }
    return synced
  }

  /**
   * Compares every current subscription of the provider with the stored one, and syncs those that differ,
   * unless nothing shall change.
   * @throws Problem `billing-not-configured`, `payment-provider`
   */
  async reconcile(actor: string, isDry: boolean): Promise<readonly Drift[]> {
    const { storage, config } = this.#parts
    const provider = this.#provider()
    const there: Subscription[] = await this.#asked(async () => {
      const found: Subscription[] = []
      for await (const each of provider.subscriptions()) found.push(each)
      return found
    })
    const stored = new Map((await storage.billing.current()).map((each) => [each.id, each]))
    const drifts = there.flatMap((each) => driftOf(each, stored.get(each.id), config.billing.prices) ?? [])
    const all = [...drifts, ...goneFrom(there, [...stored.values()])]
    if (!isDry)
      for (const { subscriptionId, kind } of all)
        if (kind !== 'duplicate') await this.sync(subscriptionId, actor)
    return all
  }

  /**
   * Signs a message as the provider would, to try an installation out.
   * @throws Problem `payment-webhook-not-configured`, `conflict` where events of the live mode count
   */
  async signTest(body: string): Promise<string> {
    const { config, clock } = this.#parts
    const [secret] = config.billing.webhookSecrets
    if (secret === undefined) throw new Problem('payment-webhook-not-configured')
    if (!takesTestMode(config) || config.billing.secretKey?.includes('k_live_') === true)
      throw new Problem('conflict', {
        detail: 'the secrets are live: anybody who signs with them changes licenses',
      })
    return signedHeader(body, secret, clock.now())
  }

  #provider(): PaymentProvider {
    const { provider } = this.#parts
    if (provider !== undefined) return provider
    const missing = ['PAYMENT_SECRET_KEY']
    throw new Problem('billing-not-configured', { missing, detail: `billing is not configured: ${missing}` })
  }

  async #asked<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof PaymentProviderError)) throw error
      this.#parts.log.warn({ reason: error.message }, 'the payment provider did not answer')
      throw new Problem('payment-provider')
    }
  }
}
