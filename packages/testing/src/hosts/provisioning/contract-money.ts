import type { Order } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { expect, it } from '../../runner.ts'
import { buildCatalogEntry } from './build-order.ts'
import { LEASE_SECONDS, type ProvisioningScene } from './provisioning-scene.ts'

/** Tests of reservations, of requests for servers, of the catalogue and of credentials. */
export function provisioningMoney(scene: () => ProvisioningScene): void {
  it('grants as much as fits below the ceiling, also when orders race for it', async () => {
    const at = scene()
    await at.clear()
    const orders = await Promise.all(Array.from({ length: 8 }, () => at.add()))
    const outcomes = await Promise.all(orders.map((order) => at.reserve(order, 300, 1000)))
    expect(outcomes.filter((outcome) => outcome === 'granted')).toHaveLength(3)
    expect(outcomes.filter((outcome) => outcome === 'ceiling')).toHaveLength(5)
    expect(await at.orders.reserved()).toEqual([{ currency: 'EUR', minor: 900, orders: 3 }])
    const granted = orders.filter((_, index) => outcomes[index] === 'granted')
    expect(await at.orders.reservedOrders()).toEqual(granted.map(({ id }) => id).sort())
  })

  it('a reservation is made once, to the last cent, and ends with its server', async () => {
    const at = scene()
    await at.clear()
    const [order, other] = [await at.add(), await at.add()]
    expect(await at.reserve(order, 1000, 1000)).toBe('granted')
    await at.put(order, 'requested')
    expect(await at.reserve(order, 1000, 1000)).toBe('granted')
    expect(await at.reserve(other, 1, 1000)).toBe('ceiling')
    await at.put(order, 'deleted', { releases: true })
    expect(await at.orders.reserved()).toEqual([])
    await at.put(other, 'requested')
    expect(await at.reserve(other, 1001, 1000)).toBe('ceiling')
    await at.put(other, 'requested')
    expect(await at.reserve(other, 1000, 1000)).toBe('granted')
    await at.put(order, 'requested')
    expect(await at.reserve(order, 1, 9000)).toBe('lost')
  })

  it('currencies do not mix', async () => {
    const at = scene()
    await at.clear()
    const [one, two] = [await at.add(), await at.add()]
    expect(await at.reserve(one, 300, 1000)).toBe('granted')
    expect(await at.reserve(two, 300, 1000, 'USD')).toBe('currency')
  })

  it('nothing is reserved without the claim', async () => {
    const at = scene()
    await at.clear()
    const order = await at.put(await at.add(), 'reserving')
    const request = { orderId: order.id, amountMinor: 300, currency: 'EUR', ceilingMinor: 1000 }
    const reserve = (token: string) =>
      at.storage.transaction(({ provisioning }) =>
        provisioning.reserve({ ...request, token }, at.clock.now()),
      )
    expect(await reserve('prv_none')).toBe('lost')
    const { token } = await at.take(order)
    await at.put(order, 'cancelled')
    expect(await reserve(token)).toBe('lost')
    expect(await at.orders.reserved()).toEqual([])
  })

  const creating = async (at: ProvisioningScene): Promise<{ order: Order; token: string }> => {
    const order = await at.add()
    await at.reserve(order, 300, 100_000)
    const moved = await at.put(order, 'creating')
    const { token } = await at.take(moved)
    return { order: moved, token }
  }

  it('a request for a server is noted before it is sent, under the claim, with money reserved', async () => {
    const at = scene()
    await at.clear()
    const { order, token } = await creating(at)
    expect(await at.note(order.id, 'prv_none')).toBe('lost')
    expect(await at.note(order.id, token)).toBe('sent')
    const now = at.clock.now()
    expect(await at.orders.get(order.id)).toMatchObject({
      creates: 1,
      createSentAt: now,
      userDataSha256: 'digest',
    })
    expect((await at.orders.events(order.id, 9)).at(-1)).toMatchObject({
      outcome: 'sent',
      step: 'create_server',
    })
    at.clock.advance({ seconds: LEASE_SECONDS, ms: -1 })
    expect((await at.take(order)).taken).toBeUndefined()
    const poor = await at.put(await at.add(), 'creating')
    expect(await at.note(poor.id, (await at.take(poor)).token)).toBe('lost')
  })

  it('requests have limits: in the life of an order, and within an hour', async () => {
    const at = scene()
    await at.clear()
    const { order, token } = await creating(at)
    for (const outcome of ['sent', 'sent', 'order-full'])
      expect(await at.note(order.id, token, { mostCreates: 2 })).toBe(outcome)
    const less = await at.put(order, 'creating', { change: { creates: 'one-less', createSentAt: null } })
    expect(less).toMatchObject({ creates: 1, createSentAt: undefined })
    const others = await Promise.all(Array.from({ length: 4 }, () => creating(at)))
    const asked = await Promise.all(
      others.map((each) => at.note(each.order.id, each.token, { mostPerHour: 4 })),
    )
    expect(asked.sort()).toEqual(['hour-full', 'hour-full', 'sent', 'sent'])
    at.clock.advance({ hours: 1, ms: -1 })
    const later = await creating(at)
    expect(await at.note(later.order.id, later.token, { mostPerHour: 4 })).toBe('hour-full')
    at.clock.advance(1)
    expect(await at.note(later.order.id, later.token, { mostPerHour: 4 })).toBe('sent')
  })

  it('the control plane has one name in labels', async () => {
    const at = scene()
    const names = await Promise.all(['cp-a', 'cp-b', 'cp-c'].map((name) => at.orders.planeId(name)))
    expect(new Set(names).size).toBe(1)
    expect(await at.orders.planeId('cp-d')).toBe(names[0])
  })

  it('the catalogue has one entry for a plan at a provider', async () => {
    const at = scene()
    const plan = buildId('plan')
    const [dear, other] = [
      buildCatalogEntry({ plan, maxMonthlyMinor: 5_000_000_000, enabled: false }),
      buildCatalogEntry({ plan, provider: 'digitalocean', currency: 'USD' }),
    ]
    for (const entry of [buildCatalogEntry({ plan }), dear, other]) await at.orders.setCatalog(entry)
    const own = async () => (await at.orders.catalog()).filter((entry) => entry.plan === plan)
    expect(await own()).toEqual([other, dear])
    expect(await at.orders.removeCatalog(plan, 'hetzner')).toBe(true)
    expect(await at.orders.removeCatalog(plan, 'hetzner')).toBe(false)
    expect(await own()).toEqual([other])
  })

  it('a token is unverified until it was seen to be good, and another one is unverified again', async () => {
    const at = scene()
    await at.clear()
    const set = (fingerprint: string, tokenEnc?: string) =>
      at.orders.setCredential({ provider: 'hetzner', fingerprint, tokenEnc }, at.clock.now())
    const known = async () => (await at.orders.credentials())[0]
    await set('one', 'v1:x')
    const none = { provider: 'hetzner', verifiedAt: undefined, rateResetAt: undefined }
    expect(await known()).toEqual({ ...none, fingerprint: 'one', tokenEnc: 'v1:x', state: 'unverified' })
    expect(await at.orders.verified('hetzner', 'two', at.clock.now())).toBe(false)
    expect(await at.orders.verified('hetzner', 'one', at.clock.now())).toBe(true)
    await set('one')
    expect(await known()).toMatchObject({
      state: 'verified',
      verifiedAt: at.clock.now(),
      tokenEnc: undefined,
    })
    await set('two', 'v1:y')
    expect(await known()).toEqual({ ...none, fingerprint: 'two', tokenEnc: 'v1:y', state: 'unverified' })
    expect(await at.orders.clearCredential('hetzner')).toBe(true)
    expect(await at.orders.clearCredential('hetzner')).toBe(false)
  })

  it('a bad token holds the orders of its provider until it is good', async () => {
    const at = scene()
    await at.clear()
    const fingerprint = 'one'
    await at.orders.setCredential({ provider: 'hetzner', fingerprint, tokenEnc: undefined }, at.clock.now())
    const waiting = await at.put(await at.add(), 'booting', { delaySeconds: 3600 })
    const cleaning = await at.put(await at.add(), 'deleting', { change: { errorCode: 'boot_timeout' } })
    const ready = await at.put(await at.add(), 'ready', { delaySeconds: undefined })
    const cancelled = await at.put(await at.add(), 'cancelled', { delaySeconds: 0 })
    const other = await at.add({ provider: 'digitalocean' })
    const code = async (order: Order) => (await at.orders.get(order.id))?.errorCode
    await at.orders.invalidated('hetzner', 'two', 'unauthorized', at.clock.now())
    expect(await code(waiting)).toBeUndefined()
    await at.orders.invalidated('hetzner', fingerprint, 'unauthorized', at.clock.now())
    expect(await at.orders.get(waiting.id)).toMatchObject({
      errorCode: 'credential_invalid',
      errorDetail: 'unauthorized',
      errorSince: at.clock.now(),
    })
    expect(await code(cleaning)).toBe('boot_timeout')
    for (const order of [ready, cancelled, other]) expect(await code(order)).toBeUndefined()
    const now = at.clock.advance({ hours: 2 })
    await at.orders.verified('hetzner', fingerprint, now)
    const freed = { errorCode: undefined, errorDetail: undefined, nextRunAt: now, stateSince: now }
    expect(await at.orders.get(waiting.id)).toMatchObject(freed)
  })

  it('a provider that wants no calls gets none until its time', async () => {
    const at = scene()
    await at.clear()
    await at.orders.setCredential(
      { provider: 'hetzner', fingerprint: 'one', tokenEnc: undefined },
      at.clock.now(),
    )
    const [order, other] = [await at.add(), await at.add({ provider: 'digitalocean' })]
    const until = new Date(at.clock.now().getTime() + 60_000)
    await at.orders.limited('hetzner', until, at.clock.now())
    await at.orders.limited('hetzner', new Date(until.getTime() - 1), at.clock.now())
    const due = async () => (await at.orders.due(9, undefined, at.clock.now())).map(({ id }) => id)
    expect(await due()).toEqual([other.id])
    at.clock.advance({ seconds: 60, ms: -1 })
    expect((await at.take(order)).taken).toBeUndefined()
    at.clock.advance(1)
    expect(await due()).toEqual([order.id, other.id])
    expect((await at.take(order)).taken).toBeDefined()
  })
}
