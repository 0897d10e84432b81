import type { Subscription } from './subscription.ts'

/** A session to open at the provider. A repeat with the same fields gets the same session. */
export interface CheckoutRequest {
  readonly checkoutId: string
  readonly licenseId: string
  readonly tier: string
  readonly priceId: string
  readonly successUrl: string
  readonly cancelUrl: string
  /** The customer if one is known; else the email may be. */
  readonly customerId: string | undefined
  readonly email: string | undefined
  readonly expiresAt: Date
}

/** A session at the provider, with the page where it is paid. */
export interface CheckoutSession {
  readonly sessionId: string
  readonly url: string
}

/** The payment provider. Every method throws `PaymentProviderError` and nothing else. */
export interface PaymentProvider {
  openCheckout(request: CheckoutRequest): Promise<CheckoutSession>
  /** Ends a session. `completed`: it was paid before. */
  expireCheckout(sessionId: string): Promise<'expired' | 'completed'>
  /** A subscription as it is now; undefined if the provider has none. */
  subscription(id: string): Promise<Subscription | undefined>
  /** Every subscription that is not canceled. */
  subscriptions(): AsyncIterable<Subscription>
}

/** A call that the provider did not answer, or refused. The message is for the log alone. */
export class PaymentProviderError extends Error {
  override readonly name = 'PaymentProviderError'
  /** Whether the provider refused the request, so that the same one is of no use. */
  readonly isRefused: boolean

  constructor(message: string, { isRefused }: { readonly isRefused: boolean }) {
    super(message)
    this.isRefused = isRefused
  }
}
