import { ScriptedPaymentProvider } from '@svc/testing'

/** Settings of billing for planes whose provider is scripted. Nothing is protected by these keys. */
export const BILLING_SETTINGS = {
  PAYMENT_SECRET_KEY: ['sk', 'test', 'y'.repeat(24)].join('_'),
  PAYMENT_WEBHOOK_SECRET: ['whsec', 'b'.repeat(32)].join('_'),
  PAYMENT_PRICE_PRO: 'price_pro',
  PAYMENT_ACCEPT_TEST_EVENTS: 'true',
}

/** A provider that opens sessions and has no subscriptions. */
export const paymentProvider = new ScriptedPaymentProvider()
