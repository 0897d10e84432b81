import type { Licenses } from '../../people/licenses/licenses.ts'
import { featureOf } from '../../platform/feature.ts'
import type { Operation } from '../../platform/operations/operation.ts'
import { silent } from '../../platform/scheduler/scheduled-task.ts'
import { Billing } from './billing.ts'
import { type BillingEventUses, billingEventOperations } from './billing-event-operations.ts'
import { BillingMetrics } from './billing-metrics.ts'
import { type BillingUses, billingOperations } from './billing-operations.ts'
import { Checkouts } from './checkouts.ts'
import { PaymentEvents } from './payment-events.ts'
import type { PaymentProvider } from './payment-provider.ts'
import * as settings from './settings.ts'
import { SubscriptionSync } from './subscription-sync.ts'

const TASK_MS = 20_000

/** The tools and services that billing uses. */
export interface BillingNeeds {
  readonly outside: { readonly paymentProvider: PaymentProvider | undefined }
  readonly licenses: Licenses
}
/** The services of billing. */
export interface BillingServices {
  readonly billing: Billing
  readonly checkouts: Checkouts
  readonly paymentEvents: PaymentEvents
}

const operations: readonly Operation<BillingUses & BillingEventUses>[] = [
  ...billingOperations,
  ...billingEventOperations,
]

/** Billing: subscriptions, checkouts, and events of the payment provider. */
export const billing = featureOf<BillingNeeds>()({
  settings,
  sql: () => import('./billing-sql.ts'),
  services: (base, { outside, licenses }): BillingServices => {
    const provider = outside.paymentProvider
    const metrics = new BillingMetrics(base.metrics)
    const sync = new SubscriptionSync({ ...base, provider })
    return {
      billing: new Billing({ ...base, licenses, sync, provider }),
      checkouts: new Checkouts({ ...base, metrics, provider }),
      paymentEvents: new PaymentEvents({ ...base, metrics, sync, provider }),
    }
  },
  operations,
  events: ['billing.license_updated', 'billing.payment_failed'],
  tasks: ({ paymentEvents }) => [
    { name: 'payment-events', budgetMs: TASK_MS, run: silent((signal) => paymentEvents.drain(signal)) },
  ],
  purge: ({ paymentEvents }) => paymentEvents.purge(),
})
