import { Billing } from '../billing/billing.ts'
import { BillingMetrics } from '../billing/billing-metrics.ts'
import { Checkouts } from '../billing/checkouts.ts'
import { PaymentEvents } from '../billing/payment-events.ts'
import type { PaymentProvider } from '../billing/payment-provider.ts'
import { HttpPaymentProvider, PROVIDER_LIMITS } from '../billing/payment-provider-http.ts'
import { SubscriptionSync } from '../billing/subscription-sync.ts'
import type { ControlPlaneParts } from '../control-plane.ts'
import type { Licenses } from '../licenses/licenses.ts'
import { operatorOutbound } from '../net/operator-outbound.ts'
import type { Base } from './base.ts'

/** Wires billing: what licenses pay for, checkouts, and events of the payment provider. */
export function billingOf(base: Base, parts: ControlPlaneParts, licenses: Licenses) {
  const provider = parts.paymentProvider ?? providerOf(base)
  const metrics = new BillingMetrics(base.metrics)
  const sync = new SubscriptionSync({ ...base, provider })
  return {
    billing: new Billing({ ...base, licenses, sync, provider }),
    checkouts: new Checkouts({ ...base, metrics, provider }),
    paymentEvents: new PaymentEvents({ ...base, metrics, sync, provider }),
  }
}

function providerOf({ config: { billing, faults }, log }: Base): PaymentProvider | undefined {
  const { secretKey, apiBase } = billing
  if (secretKey === undefined || faults.billing !== undefined) return undefined
  const outbound = operatorOutbound({ log, limits: PROVIDER_LIMITS })
  return new HttpPaymentProvider({ secretKey, apiBase, outbound })
}
