import { defaulted, optional } from 'superstruct'
import { unixSeconds } from '../../kernel/clock.ts'
import { present } from '../../kernel/present.ts'
import { flag, listOf, namedShape, oneOf, shape, text, whole } from '../../kernel/validation.ts'
import { BILLING_STATES, LICENSE_STATUSES, STATUS_REASONS } from '../../people/licenses/license.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import type { Billing, BillingStatus, TierOffer } from './billing.ts'
import { CHECKOUT_STATES } from './billing-store.ts'
import type { Checkouts, OpenCheckout } from './checkouts.ts'
import { DRIFTS } from './reconciliation.ts'
import { PARKED_REASONS, type StoredSubscription, SUBSCRIPTION_STATUSES } from './subscription.ts'

/** The part of billing that a tenant's people use too. */
export type SeenBilling = Pick<Billing, 'tiers' | 'status'>

/** The services that operations on billing use. */
export interface BillingUses {
  readonly billing: Billing
  readonly checkouts: Checkouts
  readonly licenses: Licenses
}

const operation = operationOf<BillingUses>()

const ANY = Number.POSITIVE_INFINITY
const word = text(0, 512)
const second = whole(0, Number.MAX_SAFE_INTEGER)
const name = text(1, 512)

const tier = namedShape('Tier', {
  tier: word,
  price_id: optional(word),
  plan: word,
  features: listOf(word, ANY),
})
const tierView = ({ priceId, ...offer }: TierOffer) => ({
  ...offer,
  ...present('price_id', priceId),
})
/** A tier as operators see it. */
export type TierView = ReturnType<typeof tierView>

const subscription = namedShape('Subscription', {
  id: word,
  status: optional(oneOf(SUBSCRIPTION_STATUSES)),
  tier: optional(word),
  price_id: optional(word),
  customer_id: word,
  cancel_at: second,
  current_period_end: second,
  ended_at: second,
  parked_reason: optional(oneOf(PARKED_REASONS)),
})
const subscriptionView = (each: StoredSubscription) => ({
  id: each.id,
  ...present('status', each.status),
  ...present('tier', each.tier),
  ...present('price_id', each.priceId),
  customer_id: each.customerId,
  cancel_at: unixSeconds(each.cancelAt),
  current_period_end: unixSeconds(each.currentPeriodEnd),
  ended_at: unixSeconds(each.endedAt),
  ...present('parked_reason', each.parkedReason),
})

const status = {
  license_id: word,
  tier: optional(word),
  status: oneOf([...LICENSE_STATUSES, 'expired']),
  status_reason: optional(oneOf(STATUS_REASONS)),
  billing_state: optional(oneOf(BILLING_STATES)),
  current_period_end: second,
  expires_at: second,
  contact_email: optional(word),
  customer_id: optional(word),
  subscriptions: listOf(subscription, ANY),
  checkout: optional(shape({ id: word, tier: word, state: oneOf(CHECKOUT_STATES), expires_at: second })),
  unpaid_invoices: listOf(shape({ invoice_id: word, since: second }), ANY),
}
const statusView = ({ license, subscriptions, checkout, dunning }: BillingStatus, licenses: Licenses) => ({
  license_id: license.id,
  ...present('tier', license.tier),
  status: licenses.stateOf(license),
  ...present('status_reason', license.statusReason),
  ...present('billing_state', license.billingState),
  current_period_end: unixSeconds(license.currentPeriodEnd),
  expires_at: unixSeconds(license.expiresAt),
  ...present('contact_email', license.contactEmail),
  ...present('customer_id', license.customerId),
  subscriptions: subscriptions.map(subscriptionView),
  ...(checkout === undefined
    ? {}
    : {
        checkout: {
          id: checkout.id,
          tier: checkout.tier,
          state: checkout.state,
          expires_at: unixSeconds(checkout.expiresAt),
        },
      }),
  unpaid_invoices: dunning.map(({ invoiceId, startedAt }) => ({
    invoice_id: invoiceId,
    since: unixSeconds(startedAt),
  })),
})
/** How a license stands, as operators see it. */
export type BillingStatusView = ReturnType<typeof statusView>

/** The fields of a checkout that somebody is to pay. */
export const CHECKOUT_FIELDS = {
  id: word,
  session_id: word,
  url: text(1, 8192),
  tier: word,
  expires_at: second,
  reused: flag(),
}
/** A checkout on the wire. */
export const checkoutView = ({ id, sessionId, url, tier: paid, expiresAt, isReused }: OpenCheckout) => ({
  id,
  session_id: sessionId,
  url,
  tier: paid,
  expires_at: unixSeconds(expiresAt),
  reused: isReused,
})
export type CheckoutView = ReturnType<typeof checkoutView>

const OUTCOMES = ['applied', 'stale', 'parked', 'unknown'] as const
const MAX_EVENT_CHARS = 262_144

/** Operations of billing. */
export const billingOperations = [
  operation({
    name: 'billing.tiers',
    summary: 'list the tiers of licenses, with their prices',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    input: {},
    answer: { tiers: listOf(tier, ANY) },
    run: async ({ billing }) => ({ tiers: billing.tiers().map(tierView) }),
  }),
  operation({
    name: 'billing.status',
    summary: 'show how a license stands: its tier, subscriptions and unpaid invoices',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    input: { license: name },
    answer: status,
    run: async ({ billing, licenses }, { license }, { scope }) => {
      return statusView(await billing.status(scope, license), licenses)
    },
  }),
  operation({
    name: 'billing.checkout',
    summary: 'open the page where a license is paid for, or show the one that is open',
    permission: 'platform.billing',
    scope: 'platform',
    changes: true,
    input: {
      license: name,
      tier: text(1, 64),
      success_url: optional(text(1, 2048)),
      cancel_url: optional(text(1, 2048)),
      customer_email: optional(text(1, 320)),
    },
    answer: CHECKOUT_FIELDS,
    run: async (
      { checkouts, licenses },
      { license, tier: wanted, success_url, cancel_url, customer_email },
      { scope },
    ) => {
      const { id } = await licenses.named(scope, license)
      const urls = { successUrl: success_url, cancelUrl: cancel_url }
      const input = { licenseId: id, tier: wanted, ...urls, email: customer_email }
      return checkoutView(await checkouts.open(input))
    },
  }),
  operation({
    name: 'billing.sync',
    summary: 'fetch a subscription, or all of a license, from the payment provider and apply their state',
    permission: 'platform.billing',
    scope: 'platform',
    changes: true,
    input: { name },
    answer: {
      synced: listOf(shape({ id: word, outcome: oneOf(OUTCOMES), reason: optional(word) }), ANY),
    },
    run: async ({ billing }, input, operator) => {
      const synced = await billing.sync(input.name, operator.name)
      return {
        synced: synced.map(({ id, outcome }) => ({
          id,
          outcome: outcome.kind,
          ...('reason' in outcome ? { reason: outcome.reason } : {}),
        })),
      }
    },
  }),
  operation({
    name: 'billing.reconcile',
    summary: "compare all subscriptions with the payment provider's, and sync those that differ",
    permission: 'platform.billing',
    scope: 'platform',
    changes: true,
    input: { dry_run: defaulted(flag(), false) },
    answer: {
      dry_run: flag(),
      drifts: listOf(
        shape({
          kind: oneOf(DRIFTS),
          subscription_id: word,
          license_id: optional(word),
          there: optional(word),
          here: optional(word),
        }),
        ANY,
      ),
    },
    run: async ({ billing }, { dry_run }, operator) => ({
      dry_run,
      drifts: (await billing.reconcile(operator.name, dry_run)).map(
        ({ subscriptionId, licenseId, ...drift }) => ({
          ...drift,
          subscription_id: subscriptionId,
          ...present('license_id', licenseId),
        }),
      ),
    }),
  }),
  operation({
    name: 'billing.sign-test',
    summary: 'sign an event as the payment provider would, to try an installation out',
    permission: 'platform.billing',
    scope: 'platform',
    changes: false,
    input: { body: text(1, MAX_EVENT_CHARS) },
    answer: { header: word },
    run: async ({ billing }, { body }) => ({ header: await billing.signTest(body) }),
  }),
]
