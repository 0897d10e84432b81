import { Problem } from '../../kernel/problem.ts'
import type { License } from '../../people/licenses/license.ts'
import type { Base } from '../../platform/base.ts'
import type { Config } from '../../platform/config/config.ts'
import { placeOf } from '../../platform/secrets/secrets-store.ts'
import { canonicalDigest, checkIdempotencyKey } from '../../platform/signing/idempotency-key.ts'
import type { Stores } from '../../platform/storage/storage.ts'
import type { BillingMetrics } from './billing-metrics.ts'
import { missingForCheckout } from './billing-settings.ts'
import type { Checkout } from './billing-store.ts'
import { type CheckoutInput, type ReturnAddresses, returnAddresses } from './checkout-input.ts'
import { type CheckoutRequest, type PaymentProvider, PaymentProviderError } from './payment-provider.ts'
import { isLive } from './subscription.ts'

/** Dependencies of `Checkouts`. */
export interface CheckoutsParts
  extends Pick<Base, 'storage' | 'clock' | 'ids' | 'log' | 'config' | 'keyring'> {
  readonly metrics: BillingMetrics
  readonly provider: PaymentProvider | undefined
}

/** A checkout with the page where it is paid. */
export interface OpenCheckout {
  readonly id: string
  readonly sessionId: string
  readonly url: string
  readonly tier: string
  readonly expiresAt: Date
  /** Whether it was there before. */
  readonly isReused: boolean
}

const LIFETIME_MS = 3_600_000
/** A checkout that nobody finished making is taken over after so long. */
const IDLE_SECONDS = 60
const BUSY_SECONDS = 2
/** Steps of one request: an old checkout finished, an old one ended, and a new one. */
const MAX_STEPS = 4

/** The next step of a request. */
type Step =
  | { readonly do: 'refuse'; readonly problem: Problem }
  | { readonly do: 'answer'; readonly checkout: Checkout; readonly isReused: boolean }
  | { readonly do: 'end' | 'create'; readonly checkout: Checkout }

interface Wanted extends Pick<CheckoutInput, 'licenseId' | 'tier' | 'email'>, ReturnAddresses {
  readonly priceId: string
  /** Its `Idempotency-Key`, and the digest of its request. */
  readonly once: { readonly key: string; readonly bodyHash: string } | undefined
}

/** Checkouts: a license has one at a time, and one session at the provider for each. */
export class Checkouts {
  readonly #parts: CheckoutsParts

  constructor(parts: CheckoutsParts) {
    this.#parts = parts
  }

  /**
   * Opens a checkout of a license, or returns the one that is open for the tier. For a day the same
   * `Idempotency-Key` gets the same answer.
   * @throws Problem `billing-not-configured`, `invalid-input`, `not-billable`, `already-subscribed`,
   * `checkout-in-progress`, `idempotency-mismatch`, `payment-provider`, `secrets-not-configured`
   */
  async open(input: CheckoutInput): Promise<OpenCheckout> {
    const { metrics } = this.#parts
    try {
      const opened = await this.#open(input)
      metrics.checkout(opened.isReused ? 'reused' : 'opened')
      return opened
    } catch (error) {
      const isFailure = !(error instanceof Problem) || error.code === 'payment-provider'
      metrics.checkout(isFailure ? 'failed' : 'refused')
      throw error
    }
  }

  async #open(input: CheckoutInput): Promise<OpenCheckout> {
    const { config, storage, provider } = this.#parts
    checkIdempotencyKey(input.idempotencyKey)
    const missing = missingForCheckout(config)
    const addresses = returnAddresses(input, config, missing)
    if (provider === undefined) throw new Problem('billing-not-configured')
    const wanted = { ...input, ...addresses, priceId: priceOf(input.tier, config), once: onceOf(input) }
    for (let tries = 0; tries < MAX_STEPS; tries += 1) {
      const step = await storage.transaction((stores) => this.#next(stores, wanted))
      if (step.do === 'refuse') throw step.problem
      const { checkout } = step
      if (step.do === 'answer') return this.#opened(checkout, step.isReused)
      if (step.do === 'end') await this.#end(provider, checkout)
      else {
        const made = await this.#create(provider, checkout)
        // One that was taken over may be for another tier, and is ended by the next step.
        if (made.tier === input.tier) return this.#opened(made, false)
      }
    }
    throw inProgress()
  }

  async #next(stores: Stores, wanted: Wanted): Promise<Step> {
    const { billing } = stores
    const license = await billing.lock(wanted.licenseId)
    if (license === undefined) return { do: 'refuse', problem: new Problem('not-billable') }
    const { once } = wanted
    if (once === undefined) return this.#step(stores, license, wanted)
    const now = this.#parts.clock.statementTime()
    const earlier = await billing.answered(license.id, once.key, now)
    const checkout = earlier && (await billing.checkout(earlier.checkoutId))
    // A checkout that came to nothing is no answer: its key is free again.
    if (earlier !== undefined && (checkout?.url !== undefined || checkout?.state === 'creating')) {
      if (earlier.bodyHash !== once.bodyHash)
        return { do: 'refuse', problem: new Problem('idempotency-mismatch') }
      if (checkout.url !== undefined) return { do: 'answer', checkout, isReused: earlier.isReused }
    }
    const step = await this.#step(stores, license, wanted)
    if (step.do === 'refuse' || step.checkout.tier !== wanted.tier) return step
    const answer = { ...once, checkoutId: step.checkout.id, isReused: step.do === 'answer' }
    await billing.answer(license.id, answer, now)
    return step
  }

  async #step(stores: Stores, license: License, wanted: Wanted): Promise<Step> {
    const { clock } = this.#parts
    const { billing, licenses } = stores
    const live = (await billing.subscriptions(license.id)).find(isLive)
    if (live !== undefined) {
      const tier = live.tier === undefined ? {} : { tier: live.tier }
      return { do: 'refuse', problem: new Problem('already-subscribed', tier) }
    }
    const now = clock.statementTime()
    const current = await billing.liveCheckout(license.id)
    if (current !== undefined && current.expiresAt > clock.now()) {
      const isReused = current.tier === wanted.tier
      if (current.state === 'open') return { do: isReused ? 'answer' : 'end', checkout: current, isReused }
      const change = { from: ['creating'], state: 'creating', idleSeconds: IDLE_SECONDS } as const
      const taken = await billing.moveCheckout(current.id, change, now)
      return taken === undefined ? { do: 'refuse', problem: inProgress() } : { do: 'create', checkout: taken }
    }
    if (current !== undefined)
      await billing.moveCheckout(current.id, { from: ['creating', 'open'], state: 'expired' }, now)
    const made = this.#newCheckout(wanted, license.customerId, license.contactEmail)
    if (!(await billing.reserve(made, now))) return { do: 'refuse', problem: inProgress() }
    if (license.contactEmail === undefined && wanted.email !== undefined)
      await licenses.change(license.id, { contactEmail: wanted.email })
    const checkout = await billing.checkout(made.id)
    if (checkout === undefined) throw new Error('a checkout is gone in the transaction that added it')
    return { do: 'create', checkout }
  }

  #newCheckout(wanted: Wanted, customerId: string | undefined, contact: string | undefined) {
    const { ids, clock, keyring } = this.#parts
    const { licenseId, tier, priceId, successUrl, cancelUrl } = wanted
    const id = ids.next('chk')
    const expiresAt = new Date(clock.now().getTime() + LIFETIME_MS)
    const email = wanted.email ?? contact
    const text = JSON.stringify({ successUrl, cancelUrl, customerId, email })
    const request = keyring.seal(text, placeOf('billingCheckoutRequests', id))
    return { id, licenseId, tier, priceId, request, expiresAt }
  }

  async #create(provider: PaymentProvider, checkout: Checkout): Promise<Checkout> {
    const { storage, clock, keyring, log } = this.#parts
    const { id, licenseId, tier, priceId, expiresAt } = checkout
    const kept = JSON.parse(keyring.open(checkout.request, placeOf('billingCheckoutRequests', id)))
    const request: CheckoutRequest = { ...kept, checkoutId: id, licenseId, tier, priceId, expiresAt }
    const now = clock.statementTime()
    try {
      const { sessionId, url } = await provider.openCheckout(request)
      const sealed = keyring.seal(url, placeOf('billingCheckoutUrls', id))
      const change = { from: ['creating'], state: 'open', sessionId, url: sealed } as const
      const opened = await storage.billing.moveCheckout(id, change, now)
      if (opened !== undefined) return opened
      // Somebody else took it over and was faster: the provider gave both the same session.
      const found = await storage.billing.checkout(id)
      if (found?.state === 'open') return found
      throw inProgress()
    } catch (error) {
      if (!(error instanceof PaymentProviderError)) throw error
      log.warn({ checkout: id, reason: error.message }, 'the payment provider opened no checkout')
      // Without an answer the session may exist: the next request asks for the same one again.
      if (error.isRefused)
        await storage.billing.moveCheckout(id, { from: ['creating'], state: 'failed' }, now)
      throw new Problem('payment-provider')
    }
  }

  async #end(provider: PaymentProvider, { id, sessionId = '' }: Checkout): Promise<void> {
    const { storage, clock, log } = this.#parts
    const ended = await provider.expireCheckout(sessionId).catch((error: unknown) => {
      if (!(error instanceof PaymentProviderError)) throw error
      log.warn({ checkout: id, reason: error.message }, 'the payment provider ended no checkout')
      throw new Problem('payment-provider')
    })
    // It is paid, and the event that says so is on its way.
    if (ended === 'completed') throw inProgress()
    await storage.billing.moveCheckout(id, { from: ['open'], state: 'expired' }, clock.statementTime())
  }

  #opened({ id, sessionId = '', url = '', tier, expiresAt }: Checkout, isReused: boolean): OpenCheckout {
    const page = this.#parts.keyring.open(url, placeOf('billingCheckoutUrls', id))
    return { id, sessionId, url: page, tier, expiresAt, isReused }
  }
}

function onceOf({ idempotencyKey: key, tier, successUrl, cancelUrl, email }: CheckoutInput): Wanted['once'] {
  return key === undefined
    ? undefined
    : { key, bodyHash: canonicalDigest({ tier, successUrl, cancelUrl, email }) }
}

function priceOf(tier: string, { billing }: Config): string {
  const entries = Object.entries(billing.prices)
  const [priceId] = entries.find(([, name]) => name === tier) ?? []
  if (priceId !== undefined) return priceId
  const names = entries.map(([, name]) => name).join(', ')
  throw new Problem('invalid-input', { details: [`tier: must be one of ${names}`] })
}

const inProgress = (): Problem => new Problem('checkout-in-progress', { retryAfterSeconds: BUSY_SECONDS })
