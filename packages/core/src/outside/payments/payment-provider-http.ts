import type Stripe from 'stripe'
import { cut } from '../../kernel/cut.ts'
import { redact } from '../../kernel/redaction/redactor.ts'
import type { Base } from '../../platform/base.ts'
import { operatorOutbound } from '../../platform/net/operator-outbound.ts'
import type { Outbound } from '../../platform/net/outbound.ts'
import type { OutboundLimits, OutboundMethod } from '../../platform/net/outbound-request.ts'
import {
  type CheckoutRequest,
  type CheckoutSession,
  type PaymentProvider,
  PaymentProviderError,
} from '../../reach/billing/payment-provider.ts'
import { readSubscription } from '../../reach/billing/provider-shapes.ts'
import type { Subscription } from '../../reach/billing/subscription.ts'

/** The version of the API in every request, independent of the account's default. */
export const API_VERSION = '2026-10-28.endive'
/** The address of the API unless the settings name another. */
export const DEFAULT_API_BASE = 'https://api.stripe.com'

const RETRIES = 2
/** Limits on a call: three attempts end well before the lease of an event does. */
const PROVIDER_LIMITS: Partial<OutboundLimits> = {
  connectMs: 4000,
  answerMs: 8000,
  totalMs: 10_000,
  maxBytes: 8_388_608,
}
const PAGE = 100
/** Headers that the outbound client sets itself. */
const OWN_HEADERS = new Set(['content-length', 'host', 'connection', 'accept-encoding'])

/** Dependencies of `HttpPaymentProvider`. */
export interface HttpPaymentProviderParts {
  readonly secretKey: string
  readonly apiBase?: string | undefined
  /** The guarded client. */
  readonly outbound: Outbound
}

/** Returns the provider of the settings; undefined without a key or with a bad setting. */
export function paymentProviderOf({ config: { billing, faults }, log }: Base): PaymentProvider | undefined {
  const { secretKey, apiBase } = billing
  if (secretKey === undefined || faults.billing !== undefined) return undefined
  const outbound = operatorOutbound({ log, limits: PROVIDER_LIMITS })
  return new HttpPaymentProvider({ secretKey, apiBase, outbound })
}

/** Stripe's API through its own package, which calls out by our guarded client alone. */
export class HttpPaymentProvider implements PaymentProvider {
  readonly #parts: HttpPaymentProviderParts
  #client: Promise<Stripe> | undefined

  constructor(parts: HttpPaymentProviderParts) {
    this.#parts = parts
  }

  async openCheckout(request: CheckoutRequest): Promise<CheckoutSession> {
    const { checkoutId, licenseId, tier, priceId, customerId, email, expiresAt } = request
    const session = await this.#ask((stripe) =>
      stripe.checkout.sessions.create(
        {
          mode: 'subscription',
          line_items: [{ price: priceId, quantity: 1 }],
          client_reference_id: licenseId,
          metadata: { license_id: licenseId, tier, checkout_id: checkoutId },
          // The metadata of a session is not copied to its subscription.
          subscription_data: { metadata: { license_id: licenseId } },
          success_url: request.successUrl,
          cancel_url: request.cancelUrl,
          expires_at: Math.floor(expiresAt.getTime() / 1000),
          ...customerOf(customerId, email),
        },
        { idempotencyKey: `svc-${checkoutId}` },
      ),
    )
    if (typeof session.id === 'string' && typeof session.url === 'string')
      return { sessionId: session.id, url: session.url }
    throw new PaymentProviderError('a session without an address', { isRefused: true })
  }

  async expireCheckout(sessionId: string): Promise<'expired' | 'completed'> {
    try {
      await this.#ask((stripe) => stripe.checkout.sessions.expire(sessionId))
      return 'expired'
    } catch (error) {
      // Only an open session can be expired: any other state of it decides.
      if (!(error instanceof PaymentProviderError && error.isRefused)) throw error
      const { status } = await this.#ask((stripe) => stripe.checkout.sessions.retrieve(sessionId))
      if (status === 'open') throw error
      return status === 'complete' ? 'completed' : 'expired'
    }
  }

  async subscription(id: string): Promise<Subscription | undefined> {
    const found = await this.#ask(async (stripe) => {
      try {
        return await stripe.subscriptions.retrieve(id)
      } catch (error) {
        if (statusOf(error) === 404) return undefined
        throw error
      }
    })
    return found && readable(found)
  }

  async *subscriptions(): AsyncGenerator<Subscription> {
    for (let after: string | undefined; ; ) {
      const from = after === undefined ? {} : { starting_after: after }
      const page = await this.#ask((stripe) => stripe.subscriptions.list({ limit: PAGE, ...from }))
      for (const each of page.data) yield readable(each)
      after = page.data.at(-1)?.id
      if (!page.has_more || after === undefined) return
    }
  }

  async #ask<T>(work: (stripe: Stripe) => Promise<T>): Promise<T> {
    this.#client ??= clientOf(this.#parts)
    const client = await this.#client
    try {
      return await work(client)
    } catch (error) {
      throw failureOf(error)
    }
  }
}

const customerOf = (customer: string | undefined, email: string | undefined) => {
  if (customer !== undefined) return { customer }
  return email === undefined ? {} : { customer_email: email }
}

function readable(found: unknown): Subscription {
  const subscription = readSubscription(found)
  if (subscription !== undefined) return subscription
  throw new PaymentProviderError('a subscription without a customer or a state', { isRefused: true })
}

const statusOf = (error: unknown): number | undefined => {
  const status = error instanceof Error ? (error as { statusCode?: unknown }).statusCode : undefined
  return typeof status === 'number' ? status : undefined
}

function failureOf(error: unknown): PaymentProviderError {
  if (error instanceof PaymentProviderError) return error
  const status = statusOf(error)
  const text = error instanceof Error ? error.message : 'unknown'
  // A key that is refused, or too many calls at once: the same request may be good later.
  const isPassing = status === undefined || status >= 500 || [401, 403, 409, 429].includes(status)
  return new PaymentProviderError(`${status ?? 'no answer'}: ${cut(redact(text), 300)}`, {
    isRefused: !isPassing,
  })
}

async function clientOf({ secretKey, apiBase, outbound }: HttpPaymentProviderParts): Promise<Stripe> {
  const { default: Sdk } = await import('stripe')
  const base = new URL(apiBase ?? DEFAULT_API_BASE)
  const protocol = base.protocol === 'http:' ? 'http' : 'https'
  return new Sdk(secretKey, {
    apiVersion: API_VERSION,
    maxNetworkRetries: RETRIES,
    telemetry: false,
    host: base.hostname,
    port: base.port === '' ? (protocol === 'http' ? 80 : 443) : Number(base.port),
    protocol,
    httpClient: new OutboundHttpClient(outbound, protocol === 'http'),
  })
}

type Client = Stripe.HttpClient
type Answer = Awaited<ReturnType<Client['makeRequest']>>

/** The package's way out: one request of our guarded client, which pins the address and bounds the answer. */
class OutboundHttpClient implements Client {
  readonly #outbound: Outbound
  readonly #plainHttp: boolean

  constructor(outbound: Outbound, plainHttp: boolean) {
    this.#outbound = outbound
    this.#plainHttp = plainHttp
  }

  getClientName(): string {
    return 'svc'
  }

  async makeRequest(...args: Parameters<Client['makeRequest']>): Promise<Answer> {
    const [host, port, path, method, headers, body, protocol, timeout] = args
    const url = `${protocol}://${host}:${port}${path}`
    const sent = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()))
    const answer = await this.#outbound.request(url, {
      method: method as OutboundMethod,
      headers: Object.fromEntries(sent.map(([name, value]) => [name, String(value)])),
      ...(method === 'GET' || body === '' || body === null ? {} : { body }),
      plainHttp: this.#plainHttp,
      timeoutMs: timeout,
    })
    if (!answer.ok) throw new Error(`the call ended: ${answer.refusal}`)
    const text = Buffer.from(answer.body).toString('utf8')
    return {
      getStatusCode: () => answer.status,
      getHeaders: () => Object.fromEntries(answer.headers),
      getRawResponse: () => ({}),
      toStream: () => {
        throw new TypeError('no call of the provider streams')
      },
      toJSON: async () => JSON.parse(text),
    }
  }
}
