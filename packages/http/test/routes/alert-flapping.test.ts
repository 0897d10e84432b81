// End to end: heartbeats in, ticks of the plane, webhooks out, and the alerts that a fleet reads.
import { describe, expect, it } from '@jest/globals'
import type { Storage } from '@svc/core'
import { memoryStorage, postgresStorage } from '@svc/testing'
import { farSide } from '../../../../test/support/far-side.ts'
import { mounted } from '../../../../test/support/mounted.ts'

const POSTGRES = process.env.SVC_TEST_POSTGRES ?? ''
const STORAGES: readonly (readonly [string, () => Promise<Storage>])[] = [
  ['memory', async () => memoryStorage()],
  [`PostgreSQL ${process.env.SVC_TEST_POSTGRES_VERSION}`, () => postgresStorage(POSTGRES)],
]
const FULL = 95
const EMPTY = 10

interface Digest {
  readonly data: { readonly alerts: readonly { readonly transition: string; readonly alert: object }[] }
}

describe.each(STORAGES)('an alert that comes and goes, on %s', (_, open) => {
  it('is told as flapping once, however often it goes on, and its fleet reads that it flaps', async () => {
    await using far = await farSide((_request, response) => response.writeHead(204).end())
    const env = { SERVICE_OUTBOUND_ALLOW: '127.0.0.0/8' }
    await using served = await mounted(undefined, { env, storage: await open() })
    const receiver = { url: `http://127.0.0.1:${far.port}/` }
    await served.plane.operations.run('alerts.webhook-set', receiver, 'ann')
    const minutes = async (...disks: readonly number[]) => {
      for (const percent of disks) {
        const beat = { fingerprint: 'web-1-0123456789', hostname: 'web-1', disk_pct: percent }
        expect(await served.post('/v1/telemetry/heartbeat', beat)).toMatchObject({ status: 200 })
        served.clock.advance({ minutes: 1 })
        await served.plane.scheduler.tick()
      }
    }
    const told = () => far.seen.flatMap(({ body }) => (JSON.parse(body) as Digest).data.alerts)
    const read = async () => (await served.get('/api/v1/fleet/alerts')).body

    await minutes(FULL, FULL, EMPTY, FULL, FULL)
    expect(told().map(({ transition }) => transition)).toEqual(['firing', 'resolved', 'firing'])
    expect(await read()).toMatchObject({ alerts: [{ kind: 'disk_high', flapping: false, count: 2 }] })
    await minutes(EMPTY)
    expect(await read()).toMatchObject({ alerts: [{ kind: 'disk_high', flapping: true, status: 'firing' }] })
    await minutes(FULL, EMPTY, FULL, EMPTY, EMPTY, FULL, EMPTY)
    const transitions = told().map(({ transition }) => transition)
    expect(transitions).toEqual(['firing', 'resolved', 'firing', 'flapping'])
    expect(told().at(-1)?.alert).toMatchObject({ kind: 'disk_high', flapping: true })
    expect(await read()).toMatchObject({ alerts: [{ kind: 'disk_high', flapping: true, count: 2 }] })
  })
})
