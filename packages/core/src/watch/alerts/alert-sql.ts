import type { Session } from '../../platform/database/session.ts'
import type { AlertsStore } from './alerts-store.ts'
import * as own from './alerts-store-sql.ts'
import type { AlertDeliveriesStore } from './channels/alert-deliveries-store.ts'
import * as deliveries from './channels/alert-deliveries-store-sql.ts'
import type { AlertFactsStore } from './rules/alert-facts.ts'
import * as facts from './rules/alert-facts-store-sql.ts'

export { entities } from './alert-tables-sql.ts'

/** The stores of alerts. */
export interface AlertStores {
  readonly alerts: AlertsStore
  readonly alertDeliveries: AlertDeliveriesStore
  readonly alertFacts: AlertFactsStore
}

/** Returns the stores of alerts. */
export const stores = (session: Session): AlertStores => ({
  ...own.stores(session),
  ...deliveries.stores(session),
  ...facts.stores(session),
})
