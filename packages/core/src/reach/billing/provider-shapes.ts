import { cut } from '../../kernel/cut.ts'
import type { EventFacts, PaymentEvent } from './payment-event.ts'
import { isLive, type Subscription } from './subscription.ts'

type Json = Readonly<Record<string, unknown>>

const ID = /^[A-Za-z0-9_]{1,255}$/
const MAX_SECOND = 8_640_000_000_000
/** More items than a subscription may have. */
const MAX_ITEMS = 100

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const own = (object: unknown, key: string): unknown =>
  isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined
const within = (object: unknown, ...keys: readonly string[]): unknown => keys.reduce(own, object)
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, MAX_ITEMS) : [])

const idOf = (value: unknown): string | undefined => {
  const id = isObject(value) ? own(value, 'id') : value
  return typeof id === 'string' && ID.test(id) ? id : undefined
}
const secondOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_SECOND
    ? value
    : undefined
const dateOf = (value: unknown): Date | undefined => {
  const second = secondOf(value)
  return second === undefined ? undefined : new Date(second * 1000)
}

/** Reads a subscription of the provider's API; undefined for anything else. */
export function readSubscription(value: unknown): Subscription | undefined {
  const [id, customerId, createdAt] = [
    idOf(value),
    idOf(own(value, 'customer')),
    dateOf(own(value, 'created')),
  ]
  const status = own(value, 'status')
  if (own(value, 'object') !== 'subscription' || typeof status !== 'string') return undefined
  if (id === undefined || customerId === undefined || createdAt === undefined) return undefined
  const items = list(within(value, 'items', 'data')).flatMap((item) => {
    const priceId = idOf(own(item, 'price'))
    return priceId === undefined
      ? []
      : [{ priceId, currentPeriodEnd: dateOf(own(item, 'current_period_end')) }]
  })
  // The end of the period stands on the items; before 2025-03-31 it stood on the subscription.
  const ends = [dateOf(own(value, 'current_period_end')), ...items.map((item) => item.currentPeriodEnd)]
  const end = Math.max(0, ...ends.flatMap((each) => each?.getTime() ?? []))
  const currentPeriodEnd = end === 0 ? undefined : new Date(end)
  const isEnding = own(value, 'cancel_at_period_end') === true
  return {
    id,
    customerId,
    createdAt,
    currentPeriodEnd,
    licenseId: idOf(within(value, 'metadata', 'license_id')),
    status: isStopped(status, own(value, 'pause_collection')) ? 'paused' : cut(status, 64),
    cancelAt: dateOf(own(value, 'cancel_at')) ?? (isEnding ? currentPeriodEnd : undefined),
    endedAt: dateOf(own(value, 'ended_at')),
    items,
  }
}

// Payments can be paused while the status stays. The provider has three ways of doing that: `void` stands for
// "no service is given", and the others give it for free, now or until it is paid later.
const isStopped = (status: string, pause: unknown): boolean =>
  isLive({ status }) && own(pause, 'behavior') === 'void'

// The field has moved: `parent` since 2025-03-31, before that on the invoice, and always on its lines.
function subscriptionOfInvoice(invoice: unknown): string | undefined {
  const lines = list(within(invoice, 'lines', 'data'))
  return [
    within(invoice, 'parent', 'subscription_details', 'subscription'),
    own(invoice, 'subscription'),
    ...lines.map((line) => within(line, 'parent', 'subscription_item_details', 'subscription')),
    ...lines.map((line) => own(line, 'subscription')),
  ]
    .map(idOf)
    .find((id) => id !== undefined)
}

function factsOf(object: unknown): EventFacts {
  const customerId = idOf(own(object, 'customer'))
  switch (own(object, 'object')) {
    case 'subscription':
      return { customerId, subscriptionId: idOf(object), subscription: readSubscription(object) }
    case 'checkout.session':
      return { customerId, sessionId: idOf(object), subscriptionId: idOf(own(object, 'subscription')) }
    case 'invoice':
      return { customerId, invoiceId: idOf(object), subscriptionId: subscriptionOfInvoice(object) }
    case 'dispute':
      return {
        customerId,
        chargeId: idOf(own(object, 'charge')),
        paymentId: idOf(own(object, 'payment_intent')),
      }
    case 'charge':
      return { customerId, chargeId: idOf(object), paymentId: idOf(own(object, 'payment_intent')) }
    default:
      return { customerId }
  }
}

/** Reads a document as an event; undefined for anything else. Only ids and states are kept of it. */
export function readEvent(document: unknown): PaymentEvent | undefined {
  const [id, created] = [idOf(document), dateOf(own(document, 'created'))]
  const type = own(document, 'type')
  if (own(document, 'object') !== 'event' || id === undefined || created === undefined) return undefined
  if (typeof type !== 'string' || !/^[a-z0-9_.]{1,255}$/.test(type)) return undefined
  const object = within(document, 'data', 'object')
  const livemode = own(document, 'livemode') === true
  return { id, type, created, livemode, objectId: idOf(object) ?? '', facts: factsOf(object) }
}
