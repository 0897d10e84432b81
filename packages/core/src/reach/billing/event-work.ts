import type { Clock } from '../../kernel/clock.ts'
import type { Stores } from '../../platform/storage/storage.ts'
import type { CheckoutState } from './billing-store.ts'
import { isNotice, rankOf, type StoredPaymentEvent } from './payment-event.ts'
import type { PaymentProvider } from './payment-provider.ts'
import type { SubscriptionSync, SyncCause, SyncOutcome, Told } from './subscription-sync.ts'

/** The outcome of an event. */
export interface EventOutcome {
  readonly state: 'applied' | 'ignored' | 'parked'
  /** The reason why it is not `applied`, in a word. */
  readonly error?: string | undefined
  readonly licenseId?: string | undefined
}

/** Dependencies of `workOn`. */
export interface EventWorkParts {
  readonly sync: SubscriptionSync
  readonly clock: Clock
  readonly provider: PaymentProvider | undefined
}

/** Applies an event within a transaction. */
export type ApplyEvent = (stores: Stores) => Promise<EventOutcome>

/** The state of a checkout after an event of its session. */
const CHECKOUT_ENDS: Readonly<Record<string, CheckoutState>> = {
  'checkout.session.completed': 'completed',
  'checkout.session.async_payment_succeeded': 'completed',
  'checkout.session.async_payment_failed': 'failed',
  'checkout.session.expired': 'expired',
}
const NOTICES: Readonly<Record<string, string>> = {
  'charge.dispute.created': 'dispute',
  'charge.refunded': 'refund',
}
const ACTOR = 'payment-provider'

/**
 * Returns how to apply an event, after asking the provider for its subject: the event only says that
 * something changed; the provider gives the present state.
 * @throws PaymentProviderError
 */
export async function workOn(event: StoredPaymentEvent, parts: EventWorkParts): Promise<ApplyEvent> {
  const { type, facts } = event
  if (isNotice(type)) return (stores) => notice(stores, event)
  const { subscriptionId } = facts
  if (subscriptionId === undefined)
    return async (stores) => {
      const licenseId = await endCheckout(stores, event, parts.clock)
      return licenseId === undefined
        ? { state: 'ignored', error: 'no_subscription' }
        : { state: 'applied', licenseId }
    }
  const { provider, sync } = parts
  if (provider === undefined) return (stores) => applyAsTold(stores, event, parts)
  const told = await sync.ask(provider, subscriptionId)
  return async (stores) => {
    const checkoutLicenseId = await endCheckout(stores, event, parts.clock)
    if (told === undefined) return { state: 'parked', error: 'unknown_subscription' }
    return outcomeOf(await sync.applyIn(stores, told, causeOf(event, checkoutLicenseId)))
  }
}

const causeOf = (event: StoredPaymentEvent, checkoutLicenseId: string | undefined): SyncCause => {
  const { id, type, created: at, facts } = event
  const isFailure = type === 'invoice.payment_failed' && facts.invoiceId !== undefined
  const failedInvoice = isFailure ? { id: facts.invoiceId, at } : undefined
  return { actor: ACTOR, eventId: id, checkoutLicenseId, failedInvoice }
}

const outcomeOf = (outcome: SyncOutcome): EventOutcome =>
  outcome.kind === 'parked'
    ? { state: 'parked', error: outcome.reason, licenseId: outcome.licenseId }
    : { state: 'applied', licenseId: outcome.licenseId }

/** Without a key of the provider the event itself has to do, if it is newer than the last one. */
async function applyAsTold(
  stores: Stores,
  event: StoredPaymentEvent,
  { sync, clock }: EventWorkParts,
): Promise<EventOutcome> {
  const { facts, created: createdAt, type } = event
  const checkoutLicenseId = await endCheckout(stores, event, clock)
  const { subscription } = facts
  if (subscription !== undefined) {
    const token = await stores.billing.nextToken()
    const told: Told = { subscription, token, place: { createdAt, rank: rankOf(type) } }
    return outcomeOf(await sync.applyIn(stores, told, causeOf(event, checkoutLicenseId)))
  }
  const known = await stores.billing.subscription(facts.subscriptionId ?? '')
  if (known === undefined || facts.invoiceId === undefined) return { state: 'ignored', error: 'not_asked' }
  const { licenseId, lastEvent, status } = known
  const isNews =
    status === 'past_due' || status === 'unpaid' || !(lastEvent && lastEvent.createdAt > createdAt)
  if (type === 'invoice.payment_failed' && isNews)
    await stores.billing.openDunning({ licenseId, invoiceId: facts.invoiceId, startedAt: createdAt })
  if (type === 'invoice.paid') await stores.billing.endDunning(licenseId, clock.statementTime())
  return { state: 'applied', licenseId }
}

/** Ends the checkout of an event's session. Returns its license; undefined if the session is none of ours. */
async function endCheckout(
  { billing }: Stores,
  { type, facts }: StoredPaymentEvent,
  clock: Clock,
): Promise<string | undefined> {
  const state = CHECKOUT_ENDS[type]
  const checkout = facts.sessionId === undefined ? undefined : await billing.checkoutOf(facts.sessionId)
  if (state === undefined || checkout === undefined) return undefined
  // Every change of a checkout holds the lock of its license.
  await billing.lock(checkout.licenseId)
  // A session that was paid stays so, in spite of late events.
  const from = state === 'completed' ? (['open', 'expired', 'failed'] as const) : (['open'] as const)
  const isAfterPayment = type === 'checkout.session.async_payment_failed'
  const states = isAfterPayment ? (['open', 'completed'] as const) : from
  await billing.moveCheckout(checkout.id, { from: states, state }, clock.statementTime())
  return checkout.licenseId
}

async function notice({ billing }: Stores, { type, facts }: StoredPaymentEvent): Promise<EventOutcome> {
  const license = facts.customerId === undefined ? undefined : await billing.ofCustomer(facts.customerId)
  return { state: 'parked', error: NOTICES[type], licenseId: license?.id }
}
