import type { License } from '../../people/licenses/license.ts'
import { toLicense } from '../../people/licenses/license-tables-sql.ts'
import type { Session, Statement } from '../../platform/database/session.ts'
import * as sql from './billing-statements-sql.ts'
import type { BillingStore, Checkout, CheckoutAnswer, CheckoutChange, Dunning } from './billing-store.ts'
import { toAnswer, toCheckout, toDunning, toSubscription } from './billing-tables-sql.ts'
import type { LicenseBilling } from './license-billing.ts'
import type { ParkedReason, StoredSubscription } from './subscription.ts'

/** Billing in SQL. */
export class SqlBillingStore implements BillingStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async nextToken(): Promise<number> {
    const [row] = await sql.NEXT_TOKEN.run(this.#session, {})
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
    return (await sql.SUBSCRIPTIONS.run(this.#session, { licenseId })).map(toSubscription)
  }

  async subscription(id: string): Promise<StoredSubscription | undefined> {
    return (await sql.SUBSCRIPTION.run(this.#session, { id })).map(toSubscription)[0]
  }

  async current(): Promise<readonly StoredSubscription[]> {
    return (await sql.CURRENT.run(this.#session, {})).map(toSubscription)
  }

  async put({ lastEvent, ...subscription }: StoredSubscription): Promise<boolean> {
    const rows = await sql.PUT.run(this.#session, {
      ...subscription,
      cancelAtPeriodEnd: subscription.cancelAt !== undefined,
      lastEventCreated: lastEvent?.createdAt,
      lastEventRank: lastEvent?.rank,
    })
    return rows.length > 0
  }

  async park(id: string, reason: ParkedReason | undefined): Promise<void> {
    await sql.PARK.run(this.#session, { id, reason })
  }

  async reserve(
    checkout: Omit<Checkout, 'sessionId' | 'url' | 'state' | 'reservedAt'>,
    now?: Date,
  ): Promise<boolean> {
    return (await sql.RESERVE.run(this.#session, { ...checkout, now })).length > 0
  }

  async liveCheckout(licenseId: string): Promise<Checkout | undefined> {
    return (await sql.LIVE_CHECKOUT.run(this.#session, { licenseId })).map(toCheckout)[0]
  }

  async checkout(id: string): Promise<Checkout | undefined> {
    return (await sql.CHECKOUT.run(this.#session, { id })).map(toCheckout)[0]
  }

  async checkoutOf(sessionId: string): Promise<Checkout | undefined> {
    return (await sql.CHECKOUT_OF.run(this.#session, { sessionId })).map(toCheckout)[0]
  }

  async moveCheckout(id: string, change: CheckoutChange, now?: Date): Promise<Checkout | undefined> {
    const { from, state, sessionId, url, idleSeconds } = change
    const params = [id, from, state, sessionId, url, idleSeconds, now]
    return (await this.#session.rows<object>(sql.MOVE_CHECKOUT, params)).map(toCheckout)[0]
  }

  async answered(licenseId: string, key: string, now?: Date): Promise<CheckoutAnswer | undefined> {
    return (await sql.ANSWERED.run(this.#session, { licenseId, key, now })).map(toAnswer)[0]
  }

  async answer(licenseId: string, answer: CheckoutAnswer, now?: Date): Promise<void> {
    await sql.ANSWER.run(this.#session, { ...answer, licenseId, now })
  }

  async openDunning(dunning: Omit<Dunning, 'endedAt'>): Promise<boolean> {
    return (await sql.OPEN_DUNNING.run(this.#session, dunning)).length > 0
  }

  async endDunning(licenseId: string, now?: Date): Promise<number> {
    return (await sql.END_DUNNING.run(this.#session, { licenseId, now })).length
  }

  async dunning(): Promise<readonly Dunning[]> {
    return (await sql.DUNNING.run(this.#session, {})).map(toDunning)
  }

  async purge(days: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(sql.PURGE, [days, now])
    return row?.purged ?? 0
  }

  async #license(statement: Statement, params: readonly unknown[]): Promise<License | undefined> {
    const [row] = await this.#session.rows<object>(statement, params)
    return row === undefined ? undefined : toLicense(row)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { billing: BillingStore } => ({
  billing: new SqlBillingStore(session),
})
