// Monitors from end to end: rows in PostgreSQL, a name server on loopback, ticks that overlap.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import {
  type ControlPlane,
  createControlPlane,
  nodeDnsClient,
  PLATFORM,
  readConfig,
  type Storage,
} from '@svc/core'
import { openStorage } from '@svc/core/sql'
import { buildMonitor, migratedDatabase, type TestDatabase } from '@svc/testing'
import pg from 'pg'
import { type LoopbackDns, loopbackDns, type ZoneEntry } from '../../../../../test/support/dns-server.ts'
import { POSTGRES, SERVER } from '../../platform/storage/backends.ts'

const REPLICAS = 4
const TICKS = 16
const MONITORS = 200

let database: TestDatabase
let dns: LoopbackDns
let other: LoopbackDns
let storages: Storage[] = []
let planes: ControlPlane[]
/** A plane whose DNS time limit is short enough for a test. */
let impatient: ControlPlane

beforeAll(async () => {
  database = await migratedDatabase(SERVER)
  dns = await loopbackDns()
  other = await loopbackDns()
  storages = await Promise.all(Array.from({ length: REPLICAS }, () => openStorage({ url: database.url })))
  const config = readConfig({ MONITOR_DNS_SERVERS: dns.server })
  planes = storages.map((storage) => createControlPlane({ config, storage, dns: nodeDnsClient() }))
  const [storage] = storages
  if (storage === undefined) throw new Error('no storage')
  impatient = createControlPlane({ config, storage, dns: nodeDnsClient({ tryMs: 150 }) })
})
afterAll(async () => {
  for (const storage of storages) await storage[Symbol.asyncDispose]()
  await dns[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

/** Makes every monitor due at once. */
async function makeDue(): Promise<void> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(`update monitors set next_run_at = now() - interval '1 hour'`)
  await client.end()
}

const address = (...addresses: string[]): ZoneEntry => ({ A: addresses.map((each) => ({ address: each })) })
const plane = () => planes[0] as ControlPlane
const add = async (name: string, fields = {}) => {
  const { id, ...made } = buildMonitor({ name, host: `${name}.example.com`, ...fields })
  return plane().monitors.add(made)
}
const tick = async (ticking = plane()) => {
  await makeDue()
  return ticking.scheduler.tick()
}
const show = (name: string) => plane().monitors.resolve(PLATFORM, name)

describe(`monitors on ${POSTGRES} and a real name server`, () => {
  it('a zone that changes is one change and one drift; changed back it has recovered', async () => {
    dns.zone.set('web.example.com', address('192.0.2.1'))
    await add('web', { mode: 'baseline', expected: undefined })
    expect(await tick()).toEqual({ ran: 1, changed: 0, alerted: 0, purgedChats: 0 })
    dns.zone.set('web.example.com', address('192.0.2.66'))
    expect(await tick()).toMatchObject({ ran: 1, changed: 1 })
    expect(await tick()).toMatchObject({ ran: 1, changed: 0 })
    expect(await plane().monitors.troubles()).toMatchObject([
      { kind: 'monitor_drift', monitor: { name: 'web' } },
    ])
    expect((await show('web')).driftedAt).toEqual(expect.any(Date))
    dns.zone.set('web.example.com', address('192.0.2.1'))
    expect(await tick()).toMatchObject({ ran: 1, changed: 1 })
    expect(await show('web')).toMatchObject({ confirmed: ['192.0.2.1'], driftedAt: undefined })
    expect(await plane().monitors.troubles()).toEqual([])
    dns.zone.delete('web.example.com')
    expect(await tick()).toMatchObject({ changed: 1 })
    expect(await show('web')).toMatchObject({ confirmed: [] })
    await plane().monitors.remove('web')
  })

  it('a difference counts in the last of as many runs in a row as are asked for, and so does its end', async () => {
    const state = async () => {
      const { confirmed, driftedAt } = await show('sure')
      return { confirmed, drifted: driftedAt !== undefined }
    }
    const [before, drifted] = [
      { confirmed: ['192.0.2.1'], drifted: false },
      { confirmed: ['192.0.2.66'], drifted: true },
    ]
    dns.zone.set('sure.example.com', address('192.0.2.1'))
    await add('sure', { confirmations: 3, expected: ['192.0.2.1'] })
    for (let run = 0; run < 3; run += 1) await tick()
    expect(await state()).toEqual(before)
    // A value that is seen twice and disappears is no longer counted.
    for (const seen of ['192.0.2.66', '192.0.2.66', '192.0.2.1', '192.0.2.66', '192.0.2.66']) {
      dns.zone.set('sure.example.com', address(seen))
      expect(await tick()).toMatchObject({ ran: 1, changed: 0 })
      expect(await state()).toEqual(before)
    }
    expect(await plane().monitors.troubles()).toEqual([])
    expect(await tick()).toMatchObject({ ran: 1, changed: 1 })
    expect(await state()).toEqual(drifted)
    expect(await plane().monitors.troubles()).toMatchObject([{ kind: 'monitor_drift' }])
    dns.zone.set('sure.example.com', address('192.0.2.1'))
    for (let run = 0; run < 2; run += 1) expect(await tick()).toMatchObject({ ran: 1, changed: 0 })
    expect(await state()).toEqual(drifted)
    expect(await tick()).toMatchObject({ ran: 1, changed: 1 })
    expect(await state()).toEqual(before)
    expect(await plane().monitors.troubles()).toEqual([])
    await plane().monitors.remove('sure')
  })

  it('an address more in another order is exactly that: one address more', async () => {
    dns.zone.set('pool.example.com', address('192.0.2.2', '192.0.2.1'))
    await add('pool', { expected: ['192.0.2.1', '192.0.2.2'] })
    await tick()
    dns.zone.set('pool.example.com', address('192.0.2.1', '192.0.2.2'))
    expect(await tick()).toMatchObject({ changed: 0 })
    await plane().monitors.update('pool', { match: 'subset', expected: ['192.0.2.0/30'] })
    dns.zone.set('pool.example.com', address('192.0.2.1', '192.0.2.2', '192.0.2.3'))
    expect(await tick()).toMatchObject({ changed: 1 })
    expect((await show('pool')).driftedAt).toBeUndefined()
    await plane().monitors.remove('pool')
  })

  it.each(['servfail', 'refused', 'silence'] as const)(
    '%s is never drift, and thrice it is unreachable',
    async (how) => {
      dns.zone.set('flaky.example.com', address('192.0.2.1'))
      await add('flaky')
      await tick()
      dns.zone.set('flaky.example.com', how)
      for (let run = 0; run < 3; run += 1) expect(await tick(impatient)).toMatchObject({ ran: 1, changed: 0 })
      expect(await plane().monitors.troubles()).toMatchObject([{ kind: 'dns_unreachable' }])
      dns.zone.set('flaky.example.com', address('192.0.2.1'))
      await tick()
      expect(await plane().monitors.troubles()).toEqual([])
      await plane().monitors.remove('flaky')
    },
  )

  it('servers that disagree are inconsistent until they agree', async () => {
    dns.zone.set('split.example.com', address('192.0.2.1'))
    other.zone.set('split.example.com', address('192.0.2.2'))
    await add('split', { resolvers: [dns.server, other.server] })
    await tick()
    expect(await show('split')).toMatchObject({ error: 'inconsistent', confirmed: undefined })
    other.zone.set('split.example.com', address('192.0.2.1'))
    await tick()
    expect(await show('split')).toMatchObject({ error: undefined, confirmed: ['192.0.2.1'] })
    await plane().monitors.remove('split')
  })

  it('an answer too large for a datagram is whole', async () => {
    dns.zone.set('large.example.com', 'truncated')
    await add('large', { mode: 'baseline', expected: undefined })
    await tick()
    expect((await show('large')).expected).toHaveLength(200)
    await plane().monitors.remove('large')
  })

  it(`${TICKS} ticks at once on ${REPLICAS} replicas run each of ${MONITORS} monitors once`, async () => {
    for (let made = 0; made < MONITORS; made += 1) {
      dns.zone.set(`n${made}.example.com`, address('192.0.2.1'))
      await add(`n${made}`)
    }
    const asked = dns.asked.udp
    const ticks = await Promise.all(
      Array.from({ length: TICKS }, (_, index) =>
        (planes[index % REPLICAS] as ControlPlane).scheduler.tick(),
      ),
    )
    expect(ticks.reduce((sum, { ran }) => sum + ran, 0)).toBe(MONITORS)
    expect(dns.asked.udp - asked).toBe(MONITORS)
    const monitors = await plane().monitors.list(PLATFORM)
    const runs = await Promise.all(monitors.map(({ id }) => plane().monitors.history(PLATFORM, id, 10)))
    expect(runs.every(({ history }) => history.length === 1 && history[0]?.runs === 1)).toBe(true)
  }, 60_000)

  it('a drift that overlapping ticks find is found once', async () => {
    for (const name of dns.zone.keys()) if (name.startsWith('n')) dns.zone.set(name, address('192.0.2.66'))
    await makeDue()
    const results = await Promise.all(planes.map((each) => each.monitors.runDue()))
    const drifted = results.flatMap(({ transitions }) => transitions.map(({ monitor }) => monitor.id))
    expect(drifted).toHaveLength(MONITORS)
    expect(new Set(drifted).size).toBe(MONITORS)
  }, 60_000)
})
