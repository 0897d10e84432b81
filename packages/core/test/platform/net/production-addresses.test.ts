// The adapters whose far sides have a fixed public address, as they ask in production: scheme, host, path,
// headers and body. The meaning of answers is tested beside each adapter.
import { beforeEach, describe, expect, it } from '@jest/globals'
import { readConfig } from '@svc/core'
import { FakeClock, FakeIds, FakeTimers } from '@svc/testing'
import nock from 'nock'
import { playedOutbound } from '../../../../../test/support/played-outbound.ts'
import { HttpLanguageModel } from '../../../src/outside/language-model/language-model-http.ts'
import { API_VERSION, HttpPaymentProvider } from '../../../src/outside/payments/payment-provider-http.ts'
import { CertificateNames, certificateSources } from '../../../src/outside/scan/certificate-names.ts'
import { CRT_SH } from '../../../src/outside/scan/scan-run.ts'
import { httpProviders } from '../../../src/outside/servers/providers-http.ts'

const TOKEN = 'a-token-of-sixty-four-characters-a-token-of-sixty-four-characters'
const clock = new FakeClock()
const outbound = playedOutbound()
beforeEach(() => void (nock.isActive() || nock.activate()))

const SERVER = {
  id: 42,
  name: 'svc-web',
  status: 'running',
  labels: {},
  public_net: { ipv4: { ip: '192.0.2.1' }, ipv6: null },
}
const DROPLET = { id: 42, name: 'svc-web', status: 'active', tags: [], networks: { v4: [], v6: [] } }
const ORDER = {
  name: 'svc-web',
  serverType: 'small',
  image: 'debian-13',
  location: 'fsn1',
  sshKeys: ['4711', 'ops'],
  labels: { order: 'ord_1', plane: 'cp_1', nonce: 'n1' },
  userData: '#cloud-config',
}

/** A provider at the address of the settings' defaults. */
function provider(name: 'hetzner' | 'digitalocean') {
  const { hetznerApiBase, digitaloceanApiBase } = readConfig({}).provisioning
  const bases = { hetzner: hetznerApiBase, digitalocean: digitaloceanApiBase }
  return httpProviders({ outbound, clock, bases })(name, TOKEN).provider
}
const bearer = { reqheaders: { authorization: `Bearer ${TOKEN}`, accept: 'application/json' } }

describe('Hetzner Cloud', () => {
  const api = () => nock('https://api.hetzner.cloud', bearer)

  it('makes a server', async () => {
    api()
      .post('/v1/servers', {
        name: 'svc-web',
        server_type: 'small',
        image: 'debian-13',
        location: 'fsn1',
        ssh_keys: [4711, 'ops'],
        labels: { 'svc-order': 'ord_1', 'svc-cp': 'cp_1', 'svc-nonce': 'n1' },
        user_data: '#cloud-config',
        start_after_create: true,
      })
      .matchHeader('content-type', 'application/json')
      .reply(201, { server: SERVER, action: { id: 7, status: 'running', error: null } })
    expect(await provider('hetzner').create(ORDER)).toMatchObject({ actionId: '7', server: { id: '42' } })
  })

  it('is asked for the servers of an order, page by page, and then for its name', async () => {
    const list = (query: object, meta: object = {}) =>
      api()
        .get('/v1/servers')
        .query({ per_page: '50', ...query })
        .reply(200, { servers: [], meta })
    list({ label_selector: 'svc-order==ord_1', page: '1' }, { pagination: { next_page: 2 } })
    list({ label_selector: 'svc-order==ord_1', page: '2' })
    list({ name: 'svc-web', page: '1' })
    expect(await provider('hetzner').find({ order: 'ord_1', name: 'svc-web' })).toEqual([])
  })

  it('deletes a server, and tells of actions, servers and prices', async () => {
    api()
      .delete('/v1/servers/42')
      .reply(200, { action: { id: 8, status: 'running' } })
    api().get('/v1/servers/42').reply(200, { server: SERVER })
    api()
      .get('/v1/actions/7')
      .reply(200, { action: { id: 7, status: 'success', error: null } })
    const price = [{ location: 'fsn1', price_monthly: { gross: '4.51' } }]
    const prices = { server_types: [{ name: 'small', prices: price }], primary_ips: [] }
    api()
      .get('/v1/pricing')
      .reply(200, { pricing: { currency: 'EUR', ...prices } })
    const at = provider('hetzner')
    await at.delete('42')
    expect(await at.getServer('42')).toMatchObject({ ipv4: '192.0.2.1' })
    expect(await at.getAction('7')).toEqual({ state: 'success' })
    expect(await at.prices({ serverType: 'small', locations: ['fsn1'] })).toMatchObject({ currency: 'EUR' })
  })

  it('shows by a key without a name whether a token may write', async () => {
    api().get('/v1/servers').query({ per_page: '1' }).reply(200, { servers: [] })
    api()
      .post('/v1/ssh_keys', {})
      .reply(422, { error: { code: 'invalid_input', message: 'name' } })
    await provider('hetzner').probe()
  })
})

describe('DigitalOcean', () => {
  const api = () => nock('https://api.digitalocean.com', bearer)

  it('makes a droplet', async () => {
    api()
      .post('/v2/droplets', {
        name: 'svc-web',
        region: 'fsn1',
        size: 'small',
        image: 'debian-13',
        ssh_keys: [4711, 'ops'],
        tags: ['svc-order-ord_1', 'svc-cp-cp_1', 'svc-nonce-n1'],
        user_data: '#cloud-config',
        ipv6: true,
      })
      .matchHeader('content-type', 'application/json')
      .reply(202, { droplet: DROPLET, links: { actions: [{ id: 7, rel: 'create' }] } })
    expect(await provider('digitalocean').create(ORDER)).toMatchObject({ actionId: '7' })
  })

  it('is asked for the droplets of an order by tag, and then by name', async () => {
    const list = (query: object) =>
      api()
        .get('/v2/droplets')
        .query({ per_page: '200', page: '1', ...query })
        .reply(200, { droplets: [] })
    list({ tag_name: 'svc-order-ord_1' })
    list({ name: 'svc-web' })
    expect(await provider('digitalocean').find({ order: 'ord_1', name: 'svc-web' })).toEqual([])
  })

  it('deletes a droplet, and tells of actions and droplets', async () => {
    api().delete('/v2/droplets/42').reply(204)
    api().get('/v2/droplets/42').reply(200, { droplet: DROPLET })
    api()
      .get('/v2/actions/7')
      .reply(200, { action: { id: 7, status: 'completed' } })
    const at = provider('digitalocean')
    await at.delete('42')
    expect(await at.getServer('42')).toMatchObject({ id: '42' })
    expect(await at.getAction('7')).toEqual({ state: 'success' })
  })
})

describe('Stripe', () => {
  const secretKey = 'sk_live_0123456789'
  const stripe = () => new HttpPaymentProvider({ secretKey, outbound })
  const api = () =>
    nock('https://api.stripe.com', {
      reqheaders: { authorization: `Bearer ${secretKey}`, 'stripe-version': API_VERSION },
    })

  it('opens a checkout once, whatever is repeated', async () => {
    api()
      .post('/v1/checkout/sessions', {
        mode: 'subscription',
        line_items: [{ price: 'price_1', quantity: '1' }],
        client_reference_id: 'lic_1',
        metadata: { license_id: 'lic_1', tier: 'gold', checkout_id: 'chk_1' },
        subscription_data: { metadata: { license_id: 'lic_1' } },
        success_url: 'https://shop.example/yes',
        cancel_url: 'https://shop.example/no',
        expires_at: '1800000000',
        customer_email: 'ann@example.com',
      })
      .matchHeader('idempotency-key', 'svc-chk_1')
      .matchHeader('content-type', 'application/x-www-form-urlencoded')
      .reply(200, { id: 'cs_1', url: 'https://checkout.stripe.com/c/pay/cs_1' })
    const opened = await stripe().openCheckout({
      ...{ checkoutId: 'chk_1', licenseId: 'lic_1', tier: 'gold', priceId: 'price_1' },
      ...{ successUrl: 'https://shop.example/yes', cancelUrl: 'https://shop.example/no' },
      ...{ customerId: undefined, email: 'ann@example.com', expiresAt: new Date(1_800_000_000_000) },
    })
    expect(opened).toEqual({ sessionId: 'cs_1', url: 'https://checkout.stripe.com/c/pay/cs_1' })
  })

  it('ends a checkout, and is asked for subscriptions', async () => {
    const subscription = { id: 'sub_1', object: 'subscription', customer: 'cus_1', status: 'active' }
    const known = { ...subscription, created: 1_767_600_000, items: { data: [] }, metadata: {} }
    api().post('/v1/checkout/sessions/cs_1/expire').reply(200, { id: 'cs_1' })
    api().get('/v1/subscriptions/sub_1').reply(200, known)
    api()
      .get('/v1/subscriptions')
      .query({ limit: '100' })
      .reply(200, { data: [known], has_more: true })
    api()
      .get('/v1/subscriptions')
      .query({ limit: '100', starting_after: 'sub_1' })
      .reply(200, { data: [{ ...known, id: 'sub_2' }], has_more: false })
    expect(await stripe().expireCheckout('cs_1')).toBe('expired')
    expect(await stripe().subscription('sub_1')).toMatchObject({ customerId: 'cus_1' })
    const ids = []
    for await (const { id } of stripe().subscriptions()) ids.push(id)
    expect(ids).toEqual(['sub_1', 'sub_2'])
  })
})

describe('certificate logs', () => {
  const headers = { reqheaders: { accept: 'application/json', 'user-agent': 'svc-attack-surface/1' } }
  const { signal } = new AbortController()
  let timers: FakeTimers
  const names = () => {
    timers = new FakeTimers(clock)
    const sources = certificateSources(CRT_SH, 'a-token-of-the-monitor')
    const tools = { outbound, timers, ids: new FakeIds(clock), userAgent: 'svc-attack-surface/1' }
    return new CertificateNames({ ...tools, sources }).of('shop.example', signal)
  }

  it('are asked at crt.sh', async () => {
    nock('https://crt.sh', headers)
      .get('/')
      .query({ q: '%.shop.example', output: 'json' })
      .reply(200, [{ name_value: 'www.shop.example' }])
    expect(await names()).toMatchObject({ errors: [] })
  })

  it('are asked at Cert Spotter when crt.sh has failed twice', async () => {
    const failing = nock('https://crt.sh', headers).get('/').query(true).times(2).reply(404)
    nock('https://api.certspotter.com', { reqheaders: { authorization: 'Bearer a-token-of-the-monitor' } })
      .get('/v1/issuances')
      .query({ include_subdomains: 'true', expand: 'dns_names', domain: 'shop.example' })
      .reply(200, [{ dns_names: ['api.shop.example'] }])
    const asked = names()
    while (!failing.isDone()) {
      await timers.advance(3000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await asked).toMatchObject({ names: ['api.shop.example'], errors: [{ source: 'crt.sh' }] })
  })
})

describe('the language model', () => {
  it('is asked for a streamed chat completion at OpenAI, unless the settings name another', async () => {
    const turns = [{ role: 'user', content: 'hello' }] as const
    nock('https://api.openai.com', {
      reqheaders: { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream' },
    })
      .post('/v1/chat/completions', {
        ...{ model: 'gpt-4o-mini', messages: [...turns], max_tokens: 500, temperature: 0.2, stream: true },
      })
      .reply(
        200,
        'data: {"choices":[{"delta":{"content":"Run the installer."}}]}\n\ndata: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
        { 'content-type': 'text/event-stream' },
      )
    const model = new HttpLanguageModel({ apiKey: TOKEN, outbound })
    const parts = []
    for await (const part of model.answer({ turns, maxTokens: 500 }, new AbortController().signal))
      parts.push(part)
    expect(parts.join('')).toBe('Run the installer.')
  })
})
