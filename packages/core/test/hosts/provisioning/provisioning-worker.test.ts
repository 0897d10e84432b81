import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { Environment } from '@svc/core'
import { buildCatalogEntry } from '@svc/testing'
import { counted } from '../../../../../test/support/counted.ts'
import { ProvisioningBench, TEMPLATE, TOKENS } from './provisioning-bench.ts'

let bench: ProvisioningBench
beforeEach(async () => {
  bench = await ProvisioningBench.open()
})
afterEach(() => bench[Symbol.asyncDispose]())

/** Reopens the bench with other settings; rows start anew. */
async function reopen(env: Environment, more: { template?: string; isBare?: boolean } = {}) {
  await bench[Symbol.asyncDispose]()
  bench = await ProvisioningBench.open({ env, ...more })
}

const reserved = async () => (await bench.plane.provisioning.budget()).reserved[0]?.minor ?? 0

describe('an order from the request to the server', () => {
  it('one call is one step: each changes the state by one, and has one effect at most', async () => {
    const order = await bench.order()
    bench.hetzner.pace = { ...bench.hetzner.pace, action: 5, boot: 20 }
    const expected = [
      ['requested > pricing advanced', 0],
      ['pricing > reserving advanced', 1],
      ['reserving > creating advanced', 0],
      ['creating > waiting_action advanced', 3],
      ['waiting_action > waiting_action waiting', 1],
      ['waiting_action > booting advanced', 1],
      ['booting > booting waiting', 1],
      ['booting > waiting_agent advanced', 1],
      ['waiting_agent > waiting_agent waiting', 0],
    ] as const
    for (const [end, exchanges] of expected) {
      const before = bench.hetzner.requests.length
      expect(await bench.step(order)).toBe(end)
      expect(bench.hetzner.requests.length - before).toBe(exchanges)
      if (end.endsWith('waiting')) bench.clock.advance({ seconds: 15 })
    }
    await bench.boot(order)
    expect(await bench.step(order)).toBe('waiting_agent > ready advanced')
    expect(await bench.step(order)).toBe('nothing due')
    expect([bench.hetzner.count('POST'), bench.hetzner.count('DELETE')]).toEqual([1, 0])
    const events = (await bench.plane.provisioningOrders.show(order.id)).events.map(({ from, to, outcome }) =>
      [from, to, outcome].join(' '),
    )
    expect(events).toEqual([
      'requested pricing advanced',
      'pricing reserving advanced',
      'reserving creating advanced',
      'creating creating sent',
      'creating waiting_action advanced',
      'waiting_action waiting_action waiting',
      'waiting_action booting advanced',
      'booting booting waiting',
      'booting waiting_agent advanced',
      'waiting_agent waiting_agent waiting',
      'waiting_agent ready advanced',
    ])
    const steps = await counted(bench.plane, 'svc_provisioning_steps_total')
    expect(Object.values(steps).reduce((sum, each) => sum + each, 0)).toBe(10)
    expect(steps).toMatchObject({ '{step="validate",outcome="advanced"}': 1 })
  })

  it('the server is what was ordered, and carries the labels of its order', async () => {
    const order = await bench.order({ hostname: 'web-1' })
    const ready = await bench.until(order, 'ready')
    const [server] = bench.hetzner.live
    expect(server).toMatchObject({ name: order.providerName, type: 'cx22', location: 'fsn1' })
    const plane = server?.labels['svc-cp'] ?? ''
    expect(server?.labels).toEqual({ 'svc-order': order.id, 'svc-cp': plane, 'svc-nonce': order.nonce })
    expect(plane).toMatch(/^cp-[0-9a-z]{26}$/)
    expect(order.providerName).toBe(`svc-${order.id.slice(5)}`)
    expect(ready).toMatchObject({ serverId: String(server?.id), ipv4: expect.stringMatching(/^203\.0\.113/) })
    expect(ready.licenseKey).toBeUndefined()
    const { key } = await bench.license()
    expect(server?.userData).toBe(
      TEMPLATE.replace('{{base_url}}', "'https://svc.example'")
        .replace('{{license_key}}', `'${key}'`)
        .replace('{{hostname}}', "'web-1'")
        .replace('{{order_id}}', `'${order.id}'`)
        .replace('{{nonce}}', `'${order.nonce}'`),
    )
  })

  it('reserves the dearer of what the catalogue allows and what the server costs with its address', async () => {
    await bench.until(await bench.order(), 'ready')
    expect(await reserved()).toBe(600)
    bench.hetzner.prices.set('cx22', '5.9900')
    await bench.until(await bench.order(), 'ready')
    expect(await reserved()).toBe(600 + 599 + 61)
  })

  it('orders of one second become hosts of different ids', async () => {
    const orders = [await bench.order(), await bench.order()]
    expect(new Set(orders.map(({ createdAt }) => createdAt.getTime())).size).toBe(1)
    for (const order of orders) await bench.until(order, 'ready')
    const { servers } = await bench.plane.operations.run('fleet.servers', {}, 'root')
    expect(new Set(servers.map(({ id }) => id)).size).toBe(2)
  })

  it('a host that reports under the license, but not as this server, is not taken for it', async () => {
    const order = await bench.until(await bench.order(), 'waiting_agent')
    await bench.boot({ ...order, nonce: '00000000' })
    await bench.boot({ ...order, licenseId: 'lic_other' })
    expect(await bench.step(order)).toBe('waiting_agent > waiting_agent waiting')
  })
})

describe('gates', () => {
  const CLOSED: readonly [string, () => Promise<void>][] = [
    ['live_opt_in', () => reopen({ PROVISIONING_LIVE: 'TRUE' })],
    ['live_opt_in', () => reopen({ PROVISIONING_LIVE: undefined })],
    ['credential', () => reopen({ PROVISIONING_CREDENTIAL_MAX_AGE_HOURS: '1' })],
    ['credential', () => reopen({})],
    ['catalog', () => reopen({})],
    ['template', () => reopen({}, { template: `${TEMPLATE} {{unknown}}` })],
    ['template', () => reopen({}, { template: TEMPLATE.replace('{{nonce}}', 'x') })],
    ['template', () => reopen({ PROVISIONING_TEMPLATE_FILE: '/nonexistent' })],
    ['spend_ceiling', () => reopen({ PROVISIONING_SPEND_CEILING: undefined })],
    ['spend_ceiling', () => reopen({ PROVISIONING_SPEND_CEILING: '50' })],
    ['spend_ceiling', () => reopen({ PROVISIONING_SPEND_CEILING: '50,00 EUR' })],
    ['spend_ceiling', () => reopen({ PROVISIONING_SPEND_CEILING: '0.00 EUR' })],
    ['spend_ceiling', () => reopen({ PROVISIONING_SPEND_CEILING: '50.00 USD' })],
  ]

  it.each(CLOSED)(
    'one that is closed, %s, is named alone, and the provider sees nothing',
    async (gate, close) => {
      await close()
      const order = await bench.order()
      if (gate === 'credential') bench.clock.advance({ hours: 24, ms: 1 })
      if (gate === 'catalog') await bench.plane.provisioning.removeCatalog('small', 'hetzner')
      expect(await bench.step(order)).toBe(`closed: ${gate}`)
      expect(await bench.work()).toEqual({ isOpen: false, missing: [gate] })
      expect(bench.hetzner.requests).toEqual([])
      expect((await bench.get(order)).state).toBe('requested')
    },
  )

  it('all that are closed are named, with and without orders', async () => {
    await reopen(
      {
        PROVISIONING_LIVE: undefined,
        PROVISIONING_SPEND_CEILING: undefined,
        PROVISIONING_TEMPLATE_FILE: undefined,
        PROVISIONING_HETZNER_TOKEN: undefined,
      },
      { isBare: true },
    )
    const missing = ['live_opt_in', 'credential', 'catalog', 'template', 'spend_ceiling']
    expect(await bench.work()).toEqual({ isOpen: false, missing })
    expect((await bench.plane.provisioning.check()).missing).toEqual(missing)
  })

  it('with every gate open and nothing due, nothing is missing', async () => {
    expect(await bench.work()).toEqual({ isOpen: true, results: [], remaining: 0 })
  })

  it('a token that was changed since it was verified closes the gate', async () => {
    const order = await bench.order()
    await bench.plane.storage.provisioning.setCredential({
      ...{ provider: 'hetzner', fingerprint: 'of another token', tokenEnc: undefined },
    })
    expect(await bench.step(order)).toBe('closed: credential')
  })

  it('an order whose gates are closed keeps no other from its step', async () => {
    await bench.order()
    await bench.plane.provisioning.setCatalog(buildCatalogEntry({ plan: 'other' }))
    const other = await bench.order({ plan: 'other' })
    await bench.plane.provisioning.removeCatalog('small', 'hetzner')
    expect(await bench.work(undefined, 10)).toMatchObject({ results: [{ orderId: other.id }], remaining: 2 })
  })

  it('the tick checks a token again in time, and takes what is due a step further', async () => {
    const order = await bench.order()
    bench.clock.advance({ hours: 13 })
    await bench.plane.scheduler.tick()
    expect((await bench.get(order)).state).toBe('pricing')
    bench.clock.advance({ hours: 12 })
    expect(await bench.step(order)).toBe('pricing > reserving advanced')
    bench.hetzner.tokens.set(TOKENS.hetzner, 'read')
    bench.clock.advance({ hours: 1 })
    await bench.plane.scheduler.tick()
    expect(await bench.step(order)).toBe('closed: credential')
  })
})

describe('the money', () => {
  it('ten calls at once on ten orders with room for three make three servers', async () => {
    await reopen({ PROVISIONING_SPEND_CEILING: '20.00 EUR' })
    const orders = await Promise.all(Array.from({ length: 10 }, () => bench.order()))
    for (let round = 0; round < 8; round += 1) await Promise.all(orders.map(({ id }) => bench.work(id)))
    const states = await Promise.all(orders.map((order) => bench.get(order)))
    expect(bench.hetzner.live).toHaveLength(3)
    const held = states.filter(({ errorCode }) => errorCode === 'ceiling_reached')
    expect(held).toHaveLength(7)
    expect(held.every(({ state }) => state === 'reserving')).toBe(true)
    expect(await reserved()).toBe(1800)
    const [first] = states.filter(({ state }) => state === 'waiting_agent')
    await bench.plane.provisioningOrders.destroy(first?.id ?? '')
    await bench.until({ id: first?.id ?? '' }, 'deleted')
    bench.clock.advance({ hours: 1 })
    for (let round = 0; round < 8; round += 1) await Promise.all(held.map(({ id }) => bench.work(id)))
    const later = await Promise.all(held.map((order) => bench.get(order)))
    expect(later.filter(({ errorCode }) => errorCode === 'ceiling_reached')).toHaveLength(6)
    expect(bench.hetzner.live).toHaveLength(3)
    expect(await reserved()).toBe(1800)
  })

  it('an order waits an hour for room, three days at most', async () => {
    await reopen({ PROVISIONING_SPEND_CEILING: '1.00 EUR' })
    const order = await bench.until(await bench.order(), 'reserving')
    expect(await bench.step(order)).toBe('reserving > reserving held ceiling_reached')
    expect(await bench.step(order)).toBe('nothing due')
    await bench.plane.provisioningOrders.retry(order.id)
    expect(await bench.step(order)).toBe('reserving > reserving held ceiling_reached')
    bench.clock.advance({ hours: 72 })
    // The token is verified anew by then.
    await bench.plane.providerCredentials.verify('hetzner')
    expect(await bench.step(order)).toBe('reserving > failed failed ceiling_reached')
    expect(await bench.step(order)).toBe('nothing due')
  })

  it('a price above what the catalogue allows ends the order', async () => {
    bench.hetzner.prices.set('cx22', '6.0001')
    const order = await bench.until(await bench.order(), 'pricing')
    expect(await bench.step(order)).toBe('pricing > failed failed price_changed')
    expect([await reserved(), bench.hetzner.count('POST')]).toEqual([0, 0])
  })

  it.each<[string, Readonly<Record<string, string | undefined>>, readonly string[]]>([
    ['where it is not offered', { 'cx22 fsn1': undefined }, ['nbg1']],
    ['whose address has no price', { 'ipv4 nbg1': undefined }, ['fsn1']],
    ['that costs more than the catalogue allows', { 'cx22 fsn1': '6.0001' }, ['nbg1']],
    ['that is dearer, yet within it', { 'cx22 nbg1': '5.9' }, ['fsn1', 'nbg1']],
  ])('a place %s is no alternative, the others are', async (_, prices, places) => {
    for (const [offer, price] of Object.entries(prices)) bench.hetzner.placePrices.set(offer, price)
    const { key: licenseKey } = await bench.license()
    const preview = await bench.plane.provisioningOrders.preview({ plan: 'small', licenseKey })
    expect(preview.locations).toEqual(places)
    const order = await bench.until(await bench.order(), 'creating')
    expect(order).toMatchObject({
      locations: places,
      location: places[0],
      monthlyMinor: preview.reserves.minor,
    })
    for (const place of places) bench.hetzner.full.add(place)
    const tried: unknown[] = []
    for (const _ of places) {
      const before = bench.hetzner.requests.length
      await bench.step(order)
      bench.clock.advance({ seconds: 2 })
      const sent = bench.hetzner.requests.slice(before).filter(({ method }) => method === 'POST')
      tried.push(...sent.map(({ body }) => JSON.parse(body).location))
    }
    expect(tried).toEqual(places)
    bench.hetzner.full.clear()
    bench.clock.advance({ minutes: 5 })
    await bench.until(order, 'waiting_agent')
    expect(bench.hetzner.live.map(({ location }) => location)).toEqual([places[0]])
  })

  it('a server that is offered at none of its places ends the order', async () => {
    for (const place of ['fsn1', 'nbg1']) bench.hetzner.placePrices.set(`cx22 ${place}`, undefined)
    const order = await bench.until(await bench.order(), 'pricing')
    expect(await bench.step(order)).toBe('pricing > failed failed not_offered')
    expect((await bench.get(order)).errorDetail).toBe('it is not offered in fsn1, nbg1')
  })

  it('a license has as many servers as it may, the earlier orders first', async () => {
    await reopen({ PROVISIONING_MAX_SERVERS_PER_LICENSE: '2' })
    const orders = [await bench.order(), await bench.order(), await bench.order()]
    const ends = await Promise.all(orders.map((order) => bench.step(order)))
    expect(ends.slice(0, 2)).toEqual(Array(2).fill('requested > pricing advanced'))
    expect(ends[2]).toBe('requested > failed failed too_many_servers')
  })

  it('a license that is not good any more gets no server', async () => {
    const order = await bench.order()
    await bench.plane.licenses.suspend((await bench.license()).id)
    expect(await bench.step(order)).toBe('requested > failed failed license_not_good')
  })

  it('an hour has so many requests for servers and no more', async () => {
    await reopen({ PROVISIONING_CREATES_PER_HOUR: '1' })
    await bench.until(await bench.order(), 'waiting_action')
    const second = await bench.until(await bench.order(), 'creating')
    expect(await bench.step(second)).toBe('creating > creating held creates_per_hour')
    bench.clock.advance({ hours: 1 })
    expect(await bench.step(second)).toBe('creating > waiting_action advanced')
  })
})
