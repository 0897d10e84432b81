import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { memoryStorage } from '@svc/testing'
import type { Sent } from '../../../../test/support/exchange.ts'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'
import {
  eventText,
  invoice,
  LoopbackProvider,
  providerSettings,
  signedBy,
  signedByRecipe,
} from '../../../../test/support/payment-provider.ts'

const CHECKOUT = '/api/v1/billing/checkout'
const WEBHOOK = '/api/webhooks/payment'
const UPDATED = 'customer.subscription.updated'

let provider: LoopbackProvider
let served: Mounted
let license: { readonly id: string; readonly key: string }

beforeAll(async () => {
  provider = await LoopbackProvider.start()
  served = await mounted(undefined, { env: providerSettings(provider.base), storage: memoryStorage() })
  license = await served.license('shop')
})
afterAll(async () => {
  await served[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

const post = (path: string, body: string | Buffer, headers: NonNullable<Sent['headers']> = {}) =>
  served.send({ method: 'POST', path, headers, body })
const deliver = (text: string | Buffer, headers: Record<string, string> = {}) => {
  const signature = signedBy(text.toString(), served.clock.now())
  return post(WEBHOOK, text, { 'stripe-signature': signature, ...headers })
}
const checkout = (fields: object = {}, key = license.key) =>
  post(CHECKOUT, JSON.stringify({ tier: 'pro', ...fields }), {
    'content-type': 'application/json',
    authorization: `Bearer ${key}`,
  })
const standing = async () => (await served.plane.storage.licenses.get(license.id))?.tier

describe('POST /api/v1/billing/checkout', () => {
  it('answers the page, and the same page again', async () => {
    const first = await checkout({ customer_email: 'ann@example.com' })
    expect(first).toMatchObject({
      status: 200,
      body: {
        id: expect.stringMatching(/^chk_/),
        session_id: 'cs_1',
        url: 'https://checkout.stripe.com/c/pay/cs_1',
        tier: 'pro',
        expires_at: Math.floor(+served.clock.now() / 1000) + 3600,
        reused: false,
      },
    })
    expect(await checkout()).toMatchObject({
      status: 200,
      body: { url: (first.body as { url: string }).url, reused: true },
    })
  })

  it('answers the same bytes to a repeat under its Idempotency-Key, and 409 to another body', async () => {
    const { key } = await served.license('once')
    const once = (tier: string) =>
      post(CHECKOUT, JSON.stringify({ tier }), {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        'idempotency-key': 'one',
      })
    const first = await once('pro')
    expect(first).toMatchObject({ status: 200, body: { reused: false } })
    expect((await once('pro')).text).toBe(first.text)
    expect(await once('starter')).toMatchObject({
      status: 409,
      body: { error: 'idempotency key reused with a different body' },
    })
  })

  it.each<[string, object, object]>([
    ['a tier that is not for sale', { tier: 'gold' }, { details: ['tier: must be one of starter, pro'] }],
    ['no tier', { tier: undefined }, { details: [expect.stringMatching(/^tier: expected/)] }],
    [
      'a page on another site',
      { success_url: 'https://evil.test' },
      { details: ['success_url: expected an https address on https://panel.example.com'] },
    ],
    [
      'a page on another site behind a user',
      { cancel_url: 'https://panel.example.com@evil.test' },
      { details: ['cancel_url: expected an https address on https://panel.example.com'] },
    ],
    ['a page that is a program', { success_url: 'javascript:alert(1)' }, {}],
    [
      'two addresses',
      { customer_email: 'a@b.com, c@d.com' },
      { details: ['customer_email: expected one email address'] },
    ],
  ])('answers 400 to %s, and asks nobody', async (_, fields, body) => {
    const calls = provider.calls.length
    expect(await checkout(fields)).toMatchObject({
      status: 400,
      body: { error: 'invalid request body', ...body },
    })
    expect(provider.calls).toHaveLength(calls)
  })

  it('answers 401 without a key, with a strange one, and with one that was revoked', async () => {
    const dead = await served.license('dead')
    await served.plane.licenses.revoke(dead.id)
    const barred = await served.license('barred')
    await served.plane.licenses.suspend(barred.id)
    for (const key of ['stranger', dead.key, barred.key, ''])
      expect(await checkout({}, key)).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
  })

  it('answers 502 when the provider does not do it, and says nothing of why', async () => {
    const { key } = await served.license('unlucky')
    provider.faults.push(400)
    const answer = await checkout({}, key)
    expect(answer).toMatchObject({ status: 502, body: { error: 'payment provider error' } })
    expect(JSON.stringify(answer.body)).not.toContain('purpose')
  })

  it('answers 409 and when to try again while another one is made', async () => {
    const { key } = await served.license('slow')
    provider.faults.push(500, 500, 500)
    expect((await checkout({}, key)).status).toBe(502)
    const { status, body, headers } = await checkout({}, key)
    expect([status, body, headers['retry-after']]).toEqual([409, { error: 'checkout in progress' }, '2'])
  })

  it('answers 409 with the tier to a license that is paid for', async () => {
    const { id, key } = await served.license('paid')
    expect((await deliver(eventText(UPDATED, provider.subscribe({ licenseId: id })))).status).toBe(200)
    const error = 'license already has an active subscription'
    expect(await checkout({}, key)).toMatchObject({ status: 409, body: { error, tier: 'pro' } })
  })

  it('answers 503 with what is missing', async () => {
    await using bare = await mounted(undefined, { env: {} })
    const { key } = await bare.license()
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
    const { status, body } = await bare.send({
      method: 'POST',
      path: CHECKOUT,
      headers,
      body: '{"tier":"pro"}',
    })
    expect(status).toBe(503)
    expect(body).toEqual({
      error: 'billing not configured',
      missing: ['PAYMENT_PRICE_<TIER>', 'PAYMENT_SECRET_KEY', 'SERVICE_PUBLIC_URL'],
    })
    const event = await bare.send({ method: 'POST', path: WEBHOOK, headers: {}, body: '{}' })
    expect([event.status, event.body]).toEqual([503, { error: 'payment webhook not configured' }])
  })
})

describe('POST /api/webhooks/payment', () => {
  const applied = { status: 200, body: { received: true } }
  const refused = { status: 400, body: { error: 'invalid signature' } }

  it('takes the bytes as they come, whatever their type is called, and applies them once', async () => {
    const text = eventText(UPDATED, provider.subscribe({ licenseId: license.id }))
    expect(await deliver(text, { 'content-type': 'text/plain' })).toMatchObject(applied)
    expect(await standing()).toBe('pro')
    expect(await deliver(text)).toMatchObject({ status: 200, body: { received: true, duplicate: true } })
  })

  it('is not under the address of agents', async () => {
    for (const path of ['/v1/webhooks/payment', '/webhooks/payment', '/api/v1/webhooks/payment'])
      expect((await post(path, '{}')).status).toBe(404)
  })

  it.each<[string, (text: string) => readonly [Buffer | string, string | string[]]]>([
    ['one more blank', (text) => [`${text} `, signedBy(text, served.clock.now())]],
    [
      'a body that was written again',
      (text) => [JSON.stringify(JSON.parse(text), null, 1), signedBy(text, served.clock.now())],
    ],
    ['a packed body', (text) => [gzipSync(text), signedBy(text, served.clock.now())]],
    ['no time', (text) => [text, signedBy(text, served.clock.now()).replace(/^t=\d+,/, '')]],
    ['a time that is no number', (text) => [text, signedByRecipe(text, 'NaN')]],
    [
      'a time of the future',
      (text) => [text, signedByRecipe(text, Math.floor(+served.clock.now() / 1000) + 86_400)],
    ],
    ['an old time', (text) => [text, signedByRecipe(text, Math.floor(+served.clock.now() / 1000) - 301)]],
    [
      'the secret of another endpoint',
      (text) => [text, signedBy(text, served.clock.now(), ['whsec', 'c'.repeat(32)].join('_'))],
    ],
    ['a header that came twice', (text) => [text, Array<string>(2).fill(signedBy(text, served.clock.now()))]],
  ])('answers 400 in the same words to %s', async (_, forged) => {
    const [body, signature] = forged(
      eventText(UPDATED, provider.subscribe({ licenseId: license.id, price: 'price_starter' })),
    )
    expect(await post(WEBHOOK, body, { 'stripe-signature': signature })).toMatchObject(refused)
    expect(await standing()).toBe('pro')
  })

  it('answers 400 without a header', async () => {
    expect(await post(WEBHOOK, '{}')).toMatchObject(refused)
    expect(await post(WEBHOOK, '')).toMatchObject(refused)
  })

  it.each([
    ['no JSON', '{'],
    [
      'a thin event',
      '{"id":"evt_t","object":"v2.core.event","type":"v1.billing.meter","created":"2026-01-05"}',
    ],
    ['no event', '{"object":"event"}'],
  ])('answers 400 to %s that is signed', async (_, text) => {
    expect(await deliver(text)).toMatchObject({ status: 400, body: { error: 'invalid event' } })
  })

  it('answers 413 to more than 512 KiB, before anything is checked', async () => {
    expect((await deliver('x'.repeat(513 * 1024))).status).toBe(413)
  })

  it('answers 200 to what it does not handle, and to what waits for a person', async () => {
    expect(await deliver(eventText('customer.created', { id: 'cus_1' }))).toMatchObject({
      status: 200,
      body: { received: true, ignored: 'type' },
    })
    const foreign = JSON.parse('{"__proto__":{"license_id":"x"},"license_id":"lic_of_somebody_else"}')
    const other = provider.subscribe({ price: 'price_other', more: { metadata: foreign } })
    expect(await deliver(eventText(UPDATED, other))).toMatchObject(applied)
  })

  it('answers 500 while the provider is down, and 200 to the next copy', async () => {
    const { id } = await served.license('later')
    const { id: subscription } = provider.subscribe({ licenseId: id }) as { id: string }
    const text = eventText('invoice.paid', invoice(subscription))
    provider.faults.push(503, 503, 503)
    expect(await deliver(text)).toMatchObject({ status: 500, body: { error: 'event not applied' } })
    expect(await deliver(text)).toMatchObject(applied)
    expect((await served.plane.storage.licenses.get(id))?.tier).toBe('pro')
  })
})
