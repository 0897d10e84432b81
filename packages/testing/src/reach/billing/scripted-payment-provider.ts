import type { CheckoutRequest, PaymentProvider, Subscription } from '@svc/core/ports'

/** A payment provider in memory: it opens every session, and has the subscriptions that a test gives it. */
export class ScriptedPaymentProvider implements PaymentProvider {
  readonly opened = new Map<string, CheckoutRequest>()
  readonly #subscriptions = new Map<string, Subscription>()

  /** Adds or replaces a subscription. */
  set(subscription: Subscription): void {
    this.#subscriptions.set(subscription.id, subscription)
  }

  async openCheckout(request: CheckoutRequest) {
    const sessionId = `cs_${request.checkoutId}`
    this.opened.set(sessionId, request)
    return { sessionId, url: `https://pay.example/${sessionId}` }
  }

  async expireCheckout(sessionId: string): Promise<'expired'> {
    this.opened.delete(sessionId)
    return 'expired'
  }

  async subscription(id: string): Promise<Subscription | undefined> {
    return this.#subscriptions.get(id)
  }

  async *subscriptions(): AsyncGenerator<Subscription> {
    for (const each of this.#subscriptions.values()) if (each.status !== 'canceled') yield each
  }
}
