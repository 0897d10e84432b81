import { unixSeconds } from '../../kernel/clock.ts'
import type { EventFacts } from './payment-event.ts'
import type { Subscription } from './subscription.ts'

interface StoredFacts {
  readonly subscription_id?: string
  readonly session_id?: string
  readonly invoice_id?: string
  readonly customer_id?: string
  readonly charge_id?: string
  readonly payment_id?: string
  readonly subscription?: {
    readonly id: string
    readonly license_id?: string
    readonly customer_id: string
    readonly status: string
    readonly cancel_at?: number
    readonly current_period_end?: number
    readonly ended_at?: number
    readonly created_at: number
    readonly items?: readonly { readonly price_id: string; readonly current_period_end?: number }[]
    /** Events that were stored before 2026-11-28 have these instead of items. */
    readonly price_ids?: readonly string[]
  }
}

const second = (at: Date | undefined) => (at === undefined ? undefined : unixSeconds(at))
const date = (at: number | undefined) => (at === undefined ? undefined : new Date(at * 1000))

/** The facts of an event as JSON, in unix seconds. */
export function factsText({ subscription, ...ids }: EventFacts): string {
  const stored: Record<keyof StoredFacts, unknown> = {
    subscription_id: ids.subscriptionId,
    session_id: ids.sessionId,
    invoice_id: ids.invoiceId,
    customer_id: ids.customerId,
    charge_id: ids.chargeId,
    payment_id: ids.paymentId,
    subscription: subscription && {
      id: subscription.id,
      license_id: subscription.licenseId,
      customer_id: subscription.customerId,
      status: subscription.status,
      cancel_at: second(subscription.cancelAt),
      current_period_end: second(subscription.currentPeriodEnd),
      ended_at: second(subscription.endedAt),
      created_at: unixSeconds(subscription.createdAt),
      items: subscription.items.map(({ priceId, currentPeriodEnd }) => ({
        price_id: priceId,
        current_period_end: second(currentPeriodEnd),
      })),
    },
  }
  return JSON.stringify(stored)
}

/** The facts of an event, read from the text of `factsText`. */
export function factsOf(stored: unknown): EventFacts {
  const parsed = (typeof stored === 'string' ? JSON.parse(stored) : stored) as StoredFacts
  const { subscription: told } = parsed
  const subscription: Subscription | undefined = told && {
    id: told.id,
    licenseId: told.license_id,
    customerId: told.customer_id,
    status: told.status,
    cancelAt: date(told.cancel_at),
    currentPeriodEnd: date(told.current_period_end),
    endedAt: date(told.ended_at),
    createdAt: new Date(told.created_at * 1000),
    items:
      told.items?.map((item) => ({
        priceId: item.price_id,
        currentPeriodEnd: date(item.current_period_end),
      })) ?? (told.price_ids ?? []).map((priceId) => ({ priceId, currentPeriodEnd: undefined })),
  }
  return {
    subscriptionId: parsed.subscription_id,
    sessionId: parsed.session_id,
    invoiceId: parsed.invoice_id,
    customerId: parsed.customer_id,
    chargeId: parsed.charge_id,
    paymentId: parsed.payment_id,
    subscription,
  }
}
