import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { jsonHere } from '../packages/cli/test/support/svc-here.ts'
import { SvcProcess } from '../packages/cli/test/support/svc-process.ts'
import { readPage, root } from './docs/page.ts'
import { Reader } from './docs/reader.ts'
import { shellSuite } from './docs/shell-suite.ts'
import { freePort } from './support/free-port.ts'
import {
  EVENT_SECRET,
  eventText,
  LoopbackProvider,
  PROVIDER_KEY,
  signedBy,
} from './support/payment-provider.ts'

const PAGE = 'docs/billing.md'
const { blocks } = readPage(PAGE, readFileSync(join(root, PAGE), 'utf8'))
const [tiers = '', forSale = '', checkout = '', byName = '', parked = '', asked = '', sign = ''] = blocks
  .filter(({ language }) => language === 'sh')
  .map(({ text }) => text)

const reader = new Reader('billing')
const { folder } = reader
let provider: LoopbackProvider

beforeAll(async () => {
  provider = await LoopbackProvider.start()
  writeFileSync(join(folder, 'secret-key'), `${PROVIDER_KEY}\n`)
  writeFileSync(join(folder, 'event-secret'), `${EVENT_SECRET}\n`)
})
afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  reader[Symbol.dispose]()
})

shellSuite('paying for licenses', () => {
  test('the page can be followed: tiers are for sale, a checkout is paid, and the license follows its subscription', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const places = { 'https://svc.example': url, '/etc/svc-agent/key': join(folder, 'key') }
    const asReader = (text: string) =>
      Object.entries(places).reduce((own, [example, place]) => own.replaceAll(example, place), text)
    const env: Record<string, string> = {
      PAYMENT_PRICE_STARTER: 'price_starter',
      PAYMENT_PRICE_PRO: 'price_pro',
      PAYMENT_SECRET_KEY_FILE: join(folder, 'secret-key'),
      PAYMENT_WEBHOOK_SECRET_FILE: join(folder, 'event-secret'),
      PAYMENT_API_BASE: provider.base,
      SERVICE_PUBLIC_URL: 'https://svc.example',
    }
    const run = async (text: string) => (await reader.follow(asReader(text), env)).out
    const send = async (type: string, object: Record<string, unknown>) => {
      const body = eventText(type, object)
      const headers = { 'stripe-signature': signedBy(body, new Date()) }
      return (await fetch(`${url}/api/webhooks/payment`, { method: 'POST', headers, body })).json()
    }
    env.SERVICE_LICENSE_TIERS = await run(`${tiers}; printf %s "$SERVICE_LICENSE_TIERS"`)
    const arguments_ = ['serve', '--port', String(port), '--data-dir', '.svc', '--tick', '0']
    await using service = new SvcProcess(arguments_, { cwd: folder, env })
    await service.serving()
    const issued = ['licenses', 'issue', '--label', 'web servers']
    const { key } = await jsonHere<{ key: string }>(issued, { cwd: folder, env })
    writeFileSync(join(folder, 'key'), `${key}\n`)

    const offers = await run(forSale)
    expect(offers).toMatch(/pro +business +price_pro/)
    expect(offers).toMatch(/starter +starter +price_starter/)

    const page = JSON.parse(await run(checkout)) as { session_id: string; url: string; reused: boolean }
    expect(page).toMatchObject({ url: expect.stringContaining('checkout.stripe.com'), reused: false })
    const byOperator = await run(byName)
    expect(byOperator).toContain(page.url)

    const created = Math.floor(Date.now() / 1000)
    const paid = provider.pay(page.session_id, 'price_pro', { created })
    expect(await send('checkout.session.completed', paid)).toEqual({ received: true })
    expect(JSON.parse(await run(checkout))).toEqual({
      error: 'license already has an active subscription',
      tier: 'pro',
    })
    const status = () => run('svc billing status "web servers" --json').then((text) => JSON.parse(text))
    const paidFor = await status()
    expect(paidFor).toMatchObject({ tier: 'pro', status: 'active', billing_state: 'active' })

    const strange = provider.subscribe({ licenseId: paidFor.license_id, price: 'price_of_nobody' })
    expect(await send('customer.subscription.created', strange)).toEqual({ received: true })
    expect(await run(parked)).toContain('unknown_price')

    // Nobody tells of these changes: `sync` finds them out.
    provider.change(String(strange.id), { status: 'canceled' })
    provider.change(String(paid.subscription), { status: 'unpaid' })
    expect(await run(asked)).toContain(String(paid.subscription))
    expect(await status()).toMatchObject({ status: 'suspended', status_reason: 'billing' })
    expect(JSON.parse(await run(checkout))).toMatchObject({ tier: 'pro', reused: false })

    writeFileSync(join(folder, 'event.json'), eventText('customer.subscription.updated', strange))
    expect(JSON.parse(await run(sign))).toEqual({ received: true })
  }, 120_000)
})
