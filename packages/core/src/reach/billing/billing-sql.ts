import type { Session } from '../../platform/database/session.ts'
import type { BillingStore } from './billing-store.ts'
import * as licenses from './billing-store-sql.ts'
import type { PaymentEventsStore } from './payment-events-store.ts'
import * as events from './payment-events-store-sql.ts'

export { entities } from './billing-tables-sql.ts'

/** The stores of billing. */
export interface BillingStores {
  readonly billing: BillingStore
  readonly paymentEvents: PaymentEventsStore
}

/** Returns the stores of billing. */
export const stores = (session: Session): BillingStores => ({
  ...licenses.stores(session),
  ...events.stores(session),
})
