import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createOutbound, ofLicense, type Storage } from '@svc/core'
import { buildHeartbeat, FakeClock, postgresStorage, type TestPlane, testPlane } from '@svc/testing'
import { type FarSide, farSide } from '../../../../../test/support/far-side.ts'
import { ScriptedResolver } from '../../platform/net/scripted-resolver.ts'
import { POSTGRES, SERVER } from '../../platform/storage/backends.ts'

const TICKS = 16
const REPLICAS = 4

describe(`replicas that tick at once on ${POSTGRES}`, () => {
  let storage: Storage
  let far: FarSide
  const clock = new FakeClock()
  const outbound = createOutbound({
    resolver: new ScriptedResolver({ 'hooks.example': [['127.0.0.1']] }),
    allow: ['127.0.0.0/8'],
  })
  let replicas: TestPlane[]
  let licenseId: string

  beforeAll(async () => {
    storage = await postgresStorage(SERVER)
    far = await farSide()
    const env = { SERVICE_OUTBOUND_ALLOW: '127.0.0.0/8' }
    replicas = Array.from({ length: REPLICAS }, () => testPlane({ env, storage, clock, parts: { outbound } }))
    const [first] = replicas
    const tenant = await first?.plane.tenants.add('acme')
    licenseId = (await first?.plane.licenses.issue({ tenantId: tenant?.id }))?.license.id ?? ''
    const set = { url: `http://hooks.example:${far.port}/`, tenant: 'acme' }
    await first?.plane.operations.run('alerts.webhook-set', set, 'ann')
  })
  afterAll(async () => {
    await outbound[Symbol.asyncDispose]()
    await far[Symbol.asyncDispose]()
    await storage[Symbol.asyncDispose]()
  })

  const beat = (diskPct: number) =>
    replicas[0]?.plane.agents.heartbeat({
      ...buildHeartbeat({ licenseId, fingerprint: 'fp', hostname: 'web-1', diskPct }),
      jobs: [],
    })

  /** Runs sixteen ticks at the same moment, spread over the replicas. */
  async function ticks(): Promise<void> {
    clock.advance({ minutes: 1 })
    await Promise.all(
      Array.from({ length: TICKS }, (_, at) => replicas[at % REPLICAS]?.plane.scheduler.tick()),
    )
  }

  /** Returns how many alerts about full disks all replicas have opened together. */
  async function opened(): Promise<number> {
    const texts = await Promise.all(replicas.map(({ plane }) => plane.metrics.exposition()))
    const counts = texts.map((text) => /^svc_alerts_opened_total\{kind="disk_high"\} (\d+)$/m.exec(text)?.[1])
    return counts.reduce((sum, count) => sum + Number(count), 0)
  }

  const lines = () =>
    replicas.flatMap(({ log }) => log.lines).filter(({ message }) => message === 'alerts').length

  it('open an alert once, announce it once on each channel, and so its end', async () => {
    await beat(95)
    await ticks()
    expect(await opened()).toBe(0)
    await beat(95)
    await ticks()
    expect(await opened()).toBe(1)
    expect([far.seen.length, lines()]).toEqual([1, 1])
    await beat(10)
    await ticks()
    await ticks()
    expect([far.seen.length, lines()]).toEqual([2, 2])
    const alerts = await storage.alerts.list(ofLicense(licenseId), { limit: 100 })
    expect(alerts).toMatchObject([{ count: 1, resolvedAt: expect.any(Date) }])
    const reports = await storage.alertDeliveries.reports(alerts[0]?.id ?? '')
    expect(
      reports.map(({ channel, transition, state }) => `${channel} ${transition} ${state}`).sort(),
    ).toEqual(['log firing sent', 'log resolved sent', 'webhook firing sent', 'webhook resolved sent'])
  })

  it('count refusals together: none of them alone has seen enough', async () => {
    const heartbeats = { name: 'heartbeat', limit: 30, windowSeconds: 60 }
    for (const { plane } of replicas) {
      for (let beats = 0; beats < 33; beats += 1) await plane.limits.takeByLicense(heartbeats, licenseId)
    }
    await beat(10)
    await ticks()
    await beat(10)
    await ticks()
    const found = await storage.alerts.list(ofLicense(licenseId), { kind: 'rate_limited_fleet', limit: 9 })
    expect(found).toMatchObject([{ details: { refused: 3 * REPLICAS } }])
  })
})
