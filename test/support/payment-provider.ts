import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'

type Json = Record<string, unknown>

/** The version of the API that the plane has to ask for. */
const VERSION = '2026-10-28.endive'
/** Secrets of these suites; nothing is protected by them. */
export const PROVIDER_KEY = ['sk', 'test', 'x'.repeat(24)].join('_')
export const EVENT_SECRET = ['whsec', 'a'.repeat(32)].join('_')

/** Fields of a subscription that suites set. */
export interface SubscriptionFields {
  readonly id?: string
  readonly licenseId?: string | undefined
  readonly customer?: string
  readonly price?: string
  readonly status?: string
  readonly created?: number
  readonly currentPeriodEnd?: number
  readonly more?: Json
}

/** One call of the plane, as the provider got it. */
export interface ProviderCall {
  readonly method: string
  readonly path: string
  readonly idempotencyKey: string | undefined
  readonly form: Readonly<Record<string, string>>
}

/**
 * A payment provider on the loopback that keeps the true state: subscriptions and sessions, in the shapes
 * of the pinned version of the API, with idempotent requests as the real one has them.
 */
export class LoopbackProvider implements AsyncDisposable {
  readonly subscriptions = new Map<string, Json>()
  readonly sessions = new Map<string, Json>()
  readonly calls: ProviderCall[] = []
  /** Statuses of the next answers, instead of good ones. */
  readonly faults: number[] = []
  /** Called before each answer, for instance to let a suite hold it back. */
  before: (call: ProviderCall) => void | Promise<void> = () => {}
  readonly #answers = new Map<
    string,
    { readonly form: string; readonly status: number; readonly body: Json }
  >()
  readonly #server: Server
  #made = 0

  private constructor(server: Server) {
    this.#server = server
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void this.#answer(request, response)
    })
  }

  static async start(): Promise<LoopbackProvider> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new LoopbackProvider(server)
  }

  get base(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Adds or changes a subscription, and returns it. */
  subscribe(fields: SubscriptionFields = {}): Json {
    this.#made += 1
    const {
      id = `sub_${this.#made}`,
      licenseId,
      customer = `cus_${this.#made}`,
      price = 'price_pro',
    } = fields
    const { status = 'active', created = 1_767_600_000, currentPeriodEnd = created + 2_592_000 } = fields
    const subscription: Json = {
      id,
      object: 'subscription',
      status,
      customer,
      created,
      cancel_at: null,
      cancel_at_period_end: false,
      canceled_at: null,
      ended_at: status === 'canceled' ? created : null,
      livemode: false,
      metadata: licenseId === undefined ? {} : { license_id: licenseId },
      items: {
        object: 'list',
        data: [
          {
            id: `si_${id}`,
            object: 'subscription_item',
            quantity: 1,
            current_period_start: created,
            current_period_end: currentPeriodEnd,
            price: { id: price, object: 'price', type: 'recurring' },
          },
        ],
      },
      ...fields.more,
    }
    this.subscriptions.set(id, subscription)
    return subscription
  }

  /** Changes fields of a subscription, and returns it. */
  change(id: string, fields: Json): Json {
    const changed = { ...this.subscriptions.get(id), ...fields }
    this.subscriptions.set(id, changed)
    return changed
  }

  /** Pays for a session: its subscription becomes active. Returns the session. */
  pay(sessionId: string, price: string, fields: SubscriptionFields = {}): Json {
    const session = this.sessions.get(sessionId) ?? {}
    const licenseId = String((session.subscription_data as Json | undefined)?.license_id ?? '')
    const customer = typeof session.customer === 'string' ? session.customer : undefined
    const known = customer === undefined ? {} : { customer }
    const { id } = this.subscribe({ licenseId, price, ...known, ...fields })
    const paid = { ...session, status: 'complete', payment_status: 'paid', subscription: id }
    this.sessions.set(sessionId, paid)
    return paid
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('utf8')
    const url = new URL(request.url ?? '/', this.base)
    const key = request.headers['idempotency-key']
    const call: ProviderCall = {
      method: request.method ?? '',
      path: url.pathname + url.search,
      idempotencyKey: typeof key === 'string' ? key : undefined,
      form: Object.fromEntries(new URLSearchParams(text)),
    }
    this.calls.push(call)
    await this.before(call)
    const { status, body } = this.#reply(request, call, url, text)
    response.writeHead(status, {
      'content-type': 'application/json',
      'request-id': `req_${this.calls.length}`,
    })
    response.end(JSON.stringify(body))
  }

  #reply(request: IncomingMessage, call: ProviderCall, url: URL, text: string) {
    const fault = this.faults.shift()
    if (fault !== undefined) return refused(fault, 'api_error', 'on purpose')
    if (request.headers.authorization !== `Bearer ${PROVIDER_KEY}`)
      return refused(401, 'invalid_request_error', 'no key')
    if (request.headers['stripe-version'] !== VERSION)
      return refused(400, 'invalid_request_error', 'another version')
    const known = call.idempotencyKey === undefined ? undefined : this.#answers.get(call.idempotencyKey)
    if (known !== undefined && known.form !== text)
      return refused(400, 'idempotency_error', 'other parameters')
    if (known !== undefined) return known
    const reply = this.#route(call, url)
    if (call.idempotencyKey !== undefined) this.#answers.set(call.idempotencyKey, { form: text, ...reply })
    return reply
  }

  #route({ method, form }: ProviderCall, url: URL): { status: number; body: Json } {
    const path = url.pathname.replace('/v1/', '')
    if (method === 'POST' && path === 'checkout/sessions') return ok(this.#open(form))
    const [, sessionId, expire] = /^checkout\/sessions\/(\w+)(\/expire)?$/.exec(path) ?? []
    if (sessionId !== undefined) return this.#session(sessionId, expire !== undefined)
    const subscriptionId = /^subscriptions\/(\w+)$/.exec(path)?.[1]
    if (subscriptionId !== undefined) {
      const found = this.subscriptions.get(subscriptionId)
      return found === undefined ? refused(404, 'invalid_request_error', 'none such') : ok(found)
    }
    if (path === 'subscriptions') return ok(this.#page(url.searchParams))
    return refused(404, 'invalid_request_error', 'no such route')
  }

  #open(form: Readonly<Record<string, string>>): Json {
    this.#made += 1
    const id = `cs_${this.#made}`
    const session: Json = {
      id,
      object: 'checkout.session',
      mode: form.mode,
      status: 'open',
      url: `https://checkout.stripe.com/c/pay/${id}`,
      client_reference_id: form.client_reference_id,
      metadata: { license_id: form['metadata[license_id]'] },
      subscription_data: { license_id: form['subscription_data[metadata][license_id]'] },
      subscription: null,
      customer: form.customer ?? null,
      expires_at: Number(form.expires_at),
    }
    this.sessions.set(id, session)
    return session
  }

  #session(id: string, expire: boolean): { status: number; body: Json } {
    const session = this.sessions.get(id)
    if (session === undefined) return refused(404, 'invalid_request_error', 'none such')
    if (!expire) return ok(session)
    if (session.status !== 'open') return refused(400, 'invalid_request_error', 'the session is not open')
    const expired = { ...session, status: 'expired' }
    this.sessions.set(id, expired)
    return ok(expired)
  }

  #page(query: URLSearchParams): Json {
    const all = [...this.subscriptions.values()].filter(({ status }) => status !== 'canceled')
    const from = all.findIndex(({ id }) => id === query.get('starting_after')) + 1
    const data = all.slice(from, from + Number(query.get('limit')))
    return { object: 'list', data, has_more: from + data.length < all.length, url: '/v1/subscriptions' }
  }
}

const ok = (body: Json) => ({ status: 200, body })
const refused = (status: number, type: string, message: string) => ({
  status,
  body: { error: { type, message } },
})

let events = 0

/** Returns an event of the provider as it is sent. */
export function eventText(type: string, object: Json, fields: Json = {}): string {
  events += 1
  const created = fields.created ?? 1_767_603_600
  const event = { id: `evt_${events}`, object: 'event', type, created, livemode: false, data: { object } }
  return JSON.stringify({ ...event, ...fields })
}

/** Returns an invoice of a subscription, in the form of the pinned version. */
export const invoice = (subscription: string, fields: Json = {}): Json => ({
  id: `in_${subscription}`,
  object: 'invoice',
  customer: 'cus_1',
  parent: { type: 'subscription_details', subscription_details: { subscription } },
  lines: { object: 'list', data: [] },
  ...fields,
})

/** Signs a text as the provider does, by its own package. */
export const signedBy = (text: string, at: Date, secret = EVENT_SECRET): string =>
  Stripe.webhooks.generateTestHeaderString({ payload: text, secret, timestamp: Math.floor(+at / 1000) })

/** The same by the public recipe: `t=<seconds>,v1=<hex HMAC-SHA256 of "<seconds>.<body>">`. */
export function signedByRecipe(
  body: string | Buffer,
  seconds: number | string,
  secret = EVENT_SECRET,
): string {
  const mac = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')
  return `t=${seconds},v1=${mac}`
}

/** Settings of a plane that this provider serves. */
export const providerSettings = (base: string): Record<string, string> => ({
  NODE_ENV: 'production',
  PAYMENT_ACCEPT_TEST_EVENTS: 'true',
  PAYMENT_SECRET_KEY: PROVIDER_KEY,
  PAYMENT_WEBHOOK_SECRET: EVENT_SECRET,
  PAYMENT_PRICE_STARTER: 'price_starter',
  PAYMENT_PRICE_PRO: 'price_pro',
  PAYMENT_API_BASE: base,
  SERVICE_PUBLIC_URL: 'https://panel.example.com',
})
