import { ORDER_EVENTS } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { expect, it } from '../../runner.ts'
import { buildOrder } from './build-order.ts'
import { LEASE_SECONDS, type ProvisioningScene } from './provisioning-scene.ts'

/** Tests of orders: claims, moves and history. */
export function orderMoves(scene: () => ProvisioningScene): void {
  it('keeps everything that an order is made of, and is due at once', async () => {
    const at = scene()
    const order = buildOrder({ sshKeys: ['a "b"', 'ü'] })
    const now = at.clock.now()
    const stored = await at.orders.add(order, now)
    expect(stored).toMatchObject({
      ...order,
      state: 'requested',
      location: 'fsn1',
      nextRunAt: now,
      attempt: 0,
    })
    expect(stored).toMatchObject({ stateSince: now, createdAt: now, creates: 0, serverId: undefined })
    expect(await at.orders.get(order.id)).toEqual(stored)
    expect(await at.orders.get('pord_none')).toBeUndefined()
    await expect(at.orders.add(order, now)).rejects.toThrow()
    const { providerName } = order
    await expect(at.orders.add(buildOrder({ providerName }), now)).rejects.toThrow()
  })

  it('is listed newest first, by license, and counted by state', async () => {
    const at = scene()
    const licenseId = buildId('lic')
    const made = [await at.add({ licenseId }), await at.add({ licenseId }), await at.add({ licenseId })]
    await at.add()
    const ids = async (limit: number) => (await at.orders.list({ licenseId, limit })).map(({ id }) => id)
    const newest = made.map(({ id }) => id).reverse()
    expect(await ids(9)).toEqual(newest)
    expect(await ids(2)).toEqual(newest.slice(0, 2))
    const before = (await at.orders.counts()).ready ?? 0
    await at.put(made[0] as (typeof made)[0], 'ready')
    expect((await at.orders.counts()).ready).toBe(before + 1)
  })

  it('counts the orders of a license that came before and may have a server', async () => {
    const at = scene()
    const licenseId = buildId('lic')
    const [one, two, three] = [
      await at.add({ licenseId }),
      await at.add({ licenseId }),
      await at.add({ licenseId }),
    ]
    expect(await at.orders.older(one)).toBe(0)
    expect(await at.orders.older(three)).toBe(2)
    await at.put(one, 'deleted')
    expect(await at.orders.older(three)).toBe(1)
    await at.put(two, 'failed')
    expect(await at.orders.older(three)).toBe(0)
    await at.put(two, 'failed', { change: { serverId: buildId('1') } })
    expect(await at.orders.older(three)).toBe(1)
  })

  it('due orders come longest due first, each to one worker', async () => {
    const at = scene()
    await at.clear()
    const first = await at.add()
    at.clock.advance({ seconds: 1 })
    const second = await at.add()
    const due = async () => (await at.orders.due(9, undefined, at.clock.now())).map(({ id }) => id)
    expect(await due()).toEqual([first.id, second.id])
    expect((await at.orders.due(9, second.id, at.clock.now())).map(({ id }) => id)).toEqual([second.id])
    expect((await at.orders.due(1, undefined, at.clock.now())).map(({ id }) => id)).toEqual([first.id])
    const takers = await Promise.all(Array.from({ length: 5 }, () => at.take(first)))
    expect(takers.filter(({ taken }) => taken !== undefined)).toHaveLength(1)
    expect(takers.find(({ taken }) => taken !== undefined)?.taken?.attempt).toBe(1)
    expect(await due()).toEqual([second.id])
    expect((await at.take({ ...second, state: 'pricing' })).taken).toBeUndefined()
  })

  it('a lease ends to the millisecond, and its worker then writes nothing', async () => {
    const at = scene()
    const order = await at.add()
    const { token } = await at.take(order)
    at.clock.advance({ seconds: LEASE_SECONDS, ms: -1 })
    expect((await at.take(order)).taken).toBeUndefined()
    at.clock.advance(1)
    const second = await at.take(order)
    expect(second.taken?.attempt).toBe(2)
    const move = at.moveOf({ id: order.id, from: 'requested', to: 'pricing' })
    expect(await at.orders.move({ ...move, token }, at.clock.now())).toBeUndefined()
    expect(await at.orders.events(order.id, 9)).toEqual([])
    expect((await at.orders.move({ ...move, token: second.token }, at.clock.now()))?.state).toBe('pricing')
    expect(await at.orders.move({ ...move, token: second.token }, at.clock.now())).toBeUndefined()
  })

  it('a move is from the state that it names, and an operator’s ends every claim', async () => {
    const at = scene()
    const order = await at.add()
    const { token } = await at.take(order)
    const wrong = at.moveOf({ id: order.id, from: 'pricing', to: 'reserving' })
    expect(await at.orders.move({ ...wrong, token }, at.clock.now())).toBeUndefined()
    const cancel = at.moveOf({ id: order.id, from: 'requested', to: 'cancelled', delaySeconds: undefined })
    expect(await at.orders.move(cancel, at.clock.now())).toMatchObject({
      state: 'cancelled',
      nextRunAt: undefined,
    })
    const late = at.moveOf({ id: order.id, from: 'cancelled', to: 'pricing', token })
    expect(await at.orders.move(late, at.clock.now())).toBeUndefined()
    expect((await at.orders.live()).map(({ id }) => id)).not.toContain(order.id)
    expect(await at.orders.hurry(order.id, at.clock.now())).toBeUndefined()
  })

  it('a move changes what it names, counts anew in a new state, and is told', async () => {
    const at = scene()
    const order = await at.add()
    const serverId = buildId('1')
    await at.take(order)
    const change = {
      serverId,
      actionId: '9',
      ipv4: '192.0.2.1',
      ipv6: '2001:db8::1',
      locations: ['nbg1', 'fsn1'],
      location: 'nbg1',
    }
    const price = { monthlyMinor: 513, currency: 'EUR', errorCode: 'x', errorDetail: 'y' }
    const now = at.clock.advance({ seconds: 5 })
    const told = { httpStatus: 409, correlationId: 'c-1', detail: 'why', step: 'create_server' }
    const rest = { change: { ...change, ...price }, delaySeconds: 7.5, ...told, outcome: 'retry' as const }
    const moved = await at.put(order, 'waiting_action', rest)
    const nextRunAt = new Date(now.getTime() + 7500)
    expect(moved).toMatchObject({ ...change, ...price, state: 'waiting_action', attempt: 0, nextRunAt })
    expect(moved).toMatchObject({ stateSince: now, errorSince: now, updatedAt: now, licenseKey: 'v1:sealed' })
    const event = { at: now, from: 'requested', to: 'waiting_action', outcome: 'retry', ...told }
    expect(await at.orders.events(order.id, 9)).toEqual([event])
    at.clock.advance({ seconds: 5 })
    const again = await at.put(order, 'waiting_action', { change: { errorCode: 'x', actionId: null } })
    expect(again).toMatchObject({ errorSince: now, stateSince: now, actionId: undefined, serverId })
    const other = await at.put(order, 'waiting_action', { change: { errorCode: 'z', licenseKey: null } })
    expect(other).toMatchObject({ errorSince: at.clock.now(), licenseKey: undefined, errorDetail: 'y' })
    const none = await at.put(order, 'booting', { change: { errorCode: null, errorDetail: null } })
    expect(none).toMatchObject({ errorCode: undefined, errorDetail: undefined, errorSince: undefined })
    await expect(at.add({ id: order.id })).rejects.toThrow()
  })

  it('two orders of a provider never have one server', async () => {
    const at = scene()
    const serverId = buildId('1')
    await at.put(await at.add(), 'booting', { change: { serverId } })
    const order = await at.add()
    await expect(at.put(order, 'booting', { change: { serverId } })).rejects.toThrow()
    await at.put(await at.add({ provider: 'digitalocean' }), 'booting', { change: { serverId } })
  })

  it('an order that waits can be made due, and its history keeps the newest entries', async () => {
    const at = scene()
    const order = await at.add()
    await at.put(order, 'reserving', { delaySeconds: 3600, outcome: 'held' })
    const now = at.clock.advance({ seconds: 1 })
    expect(await at.orders.hurry(order.id, now)).toMatchObject({ nextRunAt: now, state: 'reserving' })
    if (at.storage.kind !== 'fake') return
    for (let told = 0; told < ORDER_EVENTS + 5; told += 1)
      await at.put(order, 'reserving', { detail: `${told}` })
    const events = await at.orders.events(order.id, 1000)
    expect(events).toHaveLength(ORDER_EVENTS)
    expect(events.at(-1)?.detail).toBe(`${ORDER_EVENTS + 4}`)
  })
}
