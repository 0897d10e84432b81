import type { License } from '@svc/core'
import {
  type BillingStore,
  type Checkout,
  type CheckoutAnswer,
  type CheckoutChange,
  type Dunning,
  isLiveSubscription,
  type LicenseBilling,
  type ParkedReason,
  type StoredSubscription,
} from '@svc/core/ports'
import type { MemoryLicense, MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { licenseOf } from '../../people/licenses/licenses-store-memory.ts'
import { byBytes } from '../../text-order.ts'
import { tell } from '../webhooks/memory-event.ts'
import { liveOf, moved, reserved } from './memory-checkout.ts'

const DAY_MS = 86_400_000
const secondsOf = (at: Date | undefined) => (at === undefined ? 0 : Math.floor(+at / 1000))

/** Billing in memory. */
export function memoryBillingStore(tables: MemoryTables, run: Run, time: () => Date): BillingStore {
  const subscriptions = tables.of<StoredSubscription>('billingSubscriptions')
  const checkouts = tables.of<Checkout>('billingCheckouts')
  const dunnings = tables.of<Dunning>('billingDunning')
  const answers = tables.of<CheckoutAnswer & { readonly place: string; readonly at: Date }>('billingAnswers')
  const tokens = tables.of<number>('billingSyncTokens')
  const { licenses } = tables
  const sorted = () => subscriptions.all().sort((one, other) => byBytes(one.id, other.id))
  return {
    nextToken: () =>
      run(() => {
        const next = (tokens.get('') ?? 0) + 1
        tokens.put('', next)
        return next
      }),
    lock: (licenseId: string) => run(() => licenseOf(licenses.get(licenseId))),
    bill: (licenseId: string, billing: LicenseBilling) =>
      run(() => billedLicense(tables, licenseId, billing, time())),
    ofCustomer: (customerId: string) =>
      run(() => licenseOf(licenses.all().find((each) => each.customerId === customerId))),
    subscriptions: (licenseId: string) => run(() => sorted().filter((each) => each.licenseId === licenseId)),
    subscription: (id: string) => run(() => subscriptions.get(id)),
    current: () => run(() => sorted().filter(({ status }) => status !== 'canceled')),
    put: (subscription: StoredSubscription) =>
      run(() => {
        const former = subscriptions.get(subscription.id)
        if (licenses.get(subscription.licenseId) === undefined) throw new Error('there is no such license')
        if (former !== undefined && former.syncToken >= subscription.syncToken) return false
        const next = { ...subscription, licenseId: former?.licenseId ?? subscription.licenseId }
        requireOneLive(subscriptions.all(), next)
        subscriptions.put(subscription.id, next)
        return true
      }),
    park: (id: string, parkedReason: ParkedReason | undefined) =>
      run(() => {
        const row = subscriptions.get(id)
        if (row === undefined) return
        requireOneLive(subscriptions.all(), { ...row, parkedReason })
        subscriptions.put(id, { ...row, parkedReason })
      }),
    reserve: (checkout: Omit<Checkout, 'sessionId' | 'url' | 'state' | 'reservedAt'>, now = time()) =>
      run(() => {
        if (licenses.get(checkout.licenseId) === undefined) throw new Error('there is no such license')
        return reserved(checkouts, checkout, now)
      }),
    liveCheckout: (licenseId: string) => run(() => liveOf(checkouts, licenseId)),
    checkout: (id: string) => run(() => checkouts.get(id)),
    checkoutOf: (sessionId: string) =>
      run(() => checkouts.all().find((each) => each.sessionId === sessionId)),
    moveCheckout: (id: string, change: CheckoutChange, now = time()) =>
      run(() => moved(checkouts, id, change, now)),
    answered: (licenseId: string, key: string, now = time()) =>
      run(() => {
        const found = answers.get(JSON.stringify([licenseId, key]))
        if (found === undefined || +found.at <= +now - DAY_MS) return undefined
        const { key: asked, bodyHash, checkoutId, isReused } = found
        return { key: asked, bodyHash, checkoutId, isReused }
      }),
    answer: (licenseId: string, answer: CheckoutAnswer, now = time()) =>
      run(() => {
        if (checkouts.get(answer.checkoutId) === undefined) throw new Error('there is no such checkout')
        if (licenses.get(licenseId) === undefined) throw new Error('there is no such license')
        const place = JSON.stringify([licenseId, answer.key])
        answers.put(place, { ...answer, place, at: now })
      }),
    openDunning: (dunning: Omit<Dunning, 'endedAt'>) =>
      run(() => {
        const key = JSON.stringify([dunning.licenseId, dunning.invoiceId])
        const license = licenses.get(dunning.licenseId)
        if (license === undefined) throw new Error('there is no such license')
        if (dunnings.get(key) !== undefined) return false
        dunnings.put(key, { ...dunning, endedAt: undefined })
        const fact = `dunning:${license.id}:${dunning.invoiceId}`
        tellLicense(tables, license, { type: 'billing.payment_failed', fact, at: dunning.startedAt })
        return true
      }),
    endDunning: (licenseId: string, now = time()) =>
      run(() => {
        const open = dunnings
          .all()
          .filter((each) => each.licenseId === licenseId && each.endedAt === undefined)
        for (const each of open)
          dunnings.put(JSON.stringify([licenseId, each.invoiceId]), { ...each, endedAt: now })
        return open.length
      }),
    dunning: () =>
      run(() =>
        dunnings
          .all()
          .filter(({ endedAt }) => endedAt === undefined)
          .sort(
            (one, other) =>
              +one.startedAt - +other.startedAt ||
              byBytes(one.licenseId, other.licenseId) ||
              byBytes(one.invoiceId, other.invoiceId),
          ),
      ),
    purge: (days: number, now = time()) =>
      run(() => {
        const oldest = +now - days * DAY_MS
        const isOver = ({ state, expiresAt }: Checkout) =>
          state !== 'creating' && state !== 'open' && +expiresAt < oldest
        const old = checkouts.all().filter(isOver)
        const ended = dunnings.all().filter(({ endedAt }) => endedAt !== undefined && +endedAt < oldest)
        for (const { id } of old) checkouts.put(id, undefined)
        for (const { licenseId, invoiceId } of ended)
          dunnings.put(JSON.stringify([licenseId, invoiceId]), undefined)
        const past = answers.all().filter(({ at }) => +at <= +now - DAY_MS)
        const orphaned = answers.all().filter(({ checkoutId }) => checkouts.get(checkoutId) === undefined)
        for (const { place } of [...past, ...orphaned]) answers.put(place, undefined)
        return old.length + ended.length + past.length
      }),
  }
}

function requireOneLive(all: readonly StoredSubscription[], next: StoredSubscription): void {
  const counts = (each: StoredSubscription) => each.parkedReason === undefined && isLiveSubscription(each)
  const isOther = (each: StoredSubscription) => each.id !== next.id && each.licenseId === next.licenseId
  if (counts(next) && all.some((each) => isOther(each) && counts(each)))
    throw new Error('the license has a live subscription already')
}

function billedLicense(
  tables: MemoryTables,
  licenseId: string,
  billing: LicenseBilling,
  at: Date,
): License | undefined {
  const row = tables.licenses.get(licenseId)
  if (row === undefined) return undefined
  const { customerId } = billing
  const isTaken =
    customerId !== undefined &&
    tables.licenses.all().some((each) => each.id !== licenseId && each.customerId === customerId)
  const next = { ...row, ...billing, customerId: isTaken ? row.customerId : customerId }
  tables.licenses.put(licenseId, next)
  const fact = `billing:${licenseId}:${(+at / 1000).toFixed(6)}`
  if (next.billingState !== undefined)
    tellLicense(tables, next, { type: 'billing.license_updated', fact, at })
  return licenseOf(next)
}

function tellLicense(
  tables: MemoryTables,
  { id, tier, status, billingState, currentPeriodEnd }: MemoryLicense,
  event: {
    readonly type: 'billing.license_updated' | 'billing.payment_failed'
    readonly fact: string
    readonly at: Date
  },
): void {
  const data = {
    license_id: id,
    tier,
    status,
    billing_state: billingState,
    current_period_end: secondsOf(currentPeriodEnd),
  }
  tell(tables, { ...event, licenseId: id, sequence: id, data })
}
