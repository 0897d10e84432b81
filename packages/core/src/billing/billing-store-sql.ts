import type { Session, Statement } from '../database/session.ts'
import { given, instant, maybeInstant } from '../database/values.ts'
import type { License } from '../licenses/license.ts'
import { toLicense } from '../licenses/license-tables-sql.ts'
import * as sql from './billing-statements-sql.ts'
import type {
  BillingStore,
  Checkout,
  CheckoutAnswer,
  CheckoutChange,
  CheckoutState,
  Dunning,
} from './billing-store.ts'
import type { LicenseBilling } from './license-billing.ts'
import type { ParkedReason, StoredSubscription, SubscriptionStatus } from './subscription.ts'

interface SubscriptionRow {
  readonly id: string
  readonly license_id: string
  readonly customer_id: string
  readonly price_id: string | null
  readonly tier: string | null
  readonly status: SubscriptionStatus | null
  readonly cancel_at: string | null
  readonly current_period_end: string | null
  readonly ended_at: string | null
  readonly created_at: string
  readonly sync_token: string | number
  readonly live_token: string | number | null
  readonly last_event_created: string | null
  readonly last_event_rank: number | null
  readonly parked_reason: ParkedReason | null
}

interface CheckoutRow {
  readonly id: string
  readonly license_id: string
  readonly tier: string
  readonly price_id: string
  readonly request: string
  readonly session_id: string | null
  readonly url: string | null
  readonly state: CheckoutState
  readonly reserved_at: string
  readonly expires_at: string
}

interface AnswerRow {
  readonly key: string
  readonly body_hash: string
  readonly checkout_id: string
  readonly is_reused: boolean
}

interface DunningRow {
  readonly license_id: string
  readonly invoice_id: string
  readonly started_at: string
  readonly ended_at: string | null
}

const toSubscription = (row: SubscriptionRow): StoredSubscription => {
  const lastEventAt = maybeInstant(row.last_event_created)
  return {
    id: row.id,
    licenseId: row.license_id,
    customerId: row.customer_id,
    priceId: given(row.price_id),
    tier: given(row.tier),
    status: given(row.status),
    cancelAt: maybeInstant(row.cancel_at),
    currentPeriodEnd: maybeInstant(row.current_period_end),
    endedAt: maybeInstant(row.ended_at),
    createdAt: instant(row.created_at),
    // A driver may hand a bigint over as text.
    syncToken: Number(row.sync_token),
    liveToken: row.live_token === null ? undefined : Number(row.live_token),
    lastEvent: lastEventAt && { createdAt: lastEventAt, rank: row.last_event_rank ?? 0 },
    parkedReason: given(row.parked_reason),
  }
}

const toCheckout = (row: CheckoutRow): Checkout => ({
  id: row.id,
  licenseId: row.license_id,
  tier: row.tier,
  priceId: row.price_id,
  request: row.request,
  sessionId: given(row.session_id),
  url: given(row.url),
  state: row.state,
  reservedAt: instant(row.reserved_at),
  expiresAt: instant(row.expires_at),
})

const toAnswer = (row: AnswerRow): CheckoutAnswer => ({
  key: row.key,
  bodyHash: row.body_hash,
  checkoutId: row.checkout_id,
  isReused: row.is_reused,
})

const toDunning = (row: DunningRow): Dunning => ({
  licenseId: row.license_id,
  invoiceId: row.invoice_id,
  startedAt: instant(row.started_at),
  endedAt: maybeInstant(row.ended_at),
})

/** Billing in SQL. */
export class SqlBillingStore implements BillingStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async nextToken(): Promise<number> {
    const [row] = await this.#session.rows<{ last: string | number }>(sql.NEXT_TOKEN, [])
    if (row === undefined) throw new Error('no token was made')
    return Number(row.last)
  }

  lock(licenseId: string): Promise<License | undefined> {
    return this.#license(sql.LOCK, [licenseId])
  }

  bill(licenseId: string, billing: LicenseBilling): Promise<License | undefined> {
    const { tier, status, statusReason, billingState, currentPeriodEnd, expiresAt, customerId } = billing
    const params = [tier, status, statusReason, billingState, currentPeriodEnd, expiresAt, customerId]
    return this.#license(sql.BILL, [licenseId, ...params])
  }

  ofCustomer(customerId: string): Promise<License | undefined> {
    return this.#license(sql.OF_CUSTOMER, [customerId])
  }

  async subscriptions(licenseId: string): Promise<readonly StoredSubscription[]> {
    return (await this.#session.rows<SubscriptionRow>(sql.SUBSCRIPTIONS, [licenseId])).map(toSubscription)
  }

  async subscription(id: string): Promise<StoredSubscription | undefined> {
    const [row] = await this.#session.rows<SubscriptionRow>(sql.SUBSCRIPTION, [id])
    return row === undefined ? undefined : toSubscription(row)
  }

  async current(): Promise<readonly StoredSubscription[]> {
    return (await this.#session.rows<SubscriptionRow>(sql.CURRENT, [])).map(toSubscription)
  }

  async put(each: StoredSubscription): Promise<boolean> {
    const rows = await this.#session.rows(sql.PUT, [
      each.id,
      each.licenseId,
      each.customerId,
      each.priceId,
      each.tier,
      each.status,
      each.cancelAt !== undefined,
      each.cancelAt,
      each.currentPeriodEnd,
      each.endedAt,
      each.createdAt,
      each.syncToken,
      each.liveToken,
      each.lastEvent?.createdAt,
      each.lastEvent?.rank,
      each.parkedReason,
    ])
    return rows.length > 0
  }

  async park(id: string, reason: ParkedReason | undefined): Promise<void> {
    await this.#session.rows(sql.PARK, [id, reason])
  }

  async reserve(
    checkout: Omit<Checkout, 'sessionId' | 'url' | 'state' | 'reservedAt'>,
    now?: Date,
  ): Promise<boolean> {
    const { id, licenseId, tier, priceId, request, expiresAt } = checkout
    const params = [id, licenseId, tier, priceId, request, expiresAt, now]
    return (await this.#session.rows(sql.RESERVE, params)).length > 0
  }

  liveCheckout(licenseId: string): Promise<Checkout | undefined> {
    return this.#checkout(sql.LIVE_CHECKOUT, [licenseId])
  }

  checkout(id: string): Promise<Checkout | undefined> {
    return this.#checkout(sql.CHECKOUT, [id])
  }

  checkoutOf(sessionId: string): Promise<Checkout | undefined> {
    return this.#checkout(sql.CHECKOUT_OF, [sessionId])
  }

  moveCheckout(id: string, change: CheckoutChange, now?: Date): Promise<Checkout | undefined> {
    const { from, state, sessionId, url, idleSeconds } = change
    return this.#checkout(sql.MOVE_CHECKOUT, [id, from, state, sessionId, url, idleSeconds, now])
  }

  async answered(licenseId: string, key: string, now?: Date): Promise<CheckoutAnswer | undefined> {
    const [row] = await this.#session.rows<AnswerRow>(sql.ANSWERED, [licenseId, key, now])
    return row === undefined ? undefined : toAnswer(row)
  }

  async answer(licenseId: string, answer: CheckoutAnswer, now?: Date): Promise<void> {
    const { key, bodyHash, checkoutId, isReused } = answer
    await this.#session.rows(sql.ANSWER, [licenseId, key, bodyHash, checkoutId, isReused, now])
  }

  async openDunning({ licenseId, invoiceId, startedAt }: Omit<Dunning, 'endedAt'>): Promise<boolean> {
    return (await this.#session.rows(sql.OPEN_DUNNING, [licenseId, invoiceId, startedAt])).length > 0
  }

  async endDunning(licenseId: string, now?: Date): Promise<number> {
    return (await this.#session.rows(sql.END_DUNNING, [licenseId, now])).length
  }

  async dunning(): Promise<readonly Dunning[]> {
    return (await this.#session.rows<DunningRow>(sql.DUNNING, [])).map(toDunning)
  }

  async purge(days: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(sql.PURGE, [days, now])
    return row?.purged ?? 0
  }

  async #license(statement: Statement, params: readonly unknown[]): Promise<License | undefined> {
    const [row] = await this.#session.rows<object>(statement, params)
    return row === undefined ? undefined : toLicense(row)
  }

  async #checkout(statement: Statement, params: readonly unknown[]): Promise<Checkout | undefined> {
    const [row] = await this.#session.rows<CheckoutRow>(statement, params)
    return row === undefined ? undefined : toCheckout(row)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { billing: BillingStore } => ({
  billing: new SqlBillingStore(session),
})
