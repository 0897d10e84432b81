import { describe, expect, it } from '@jest/globals'
import type { Storage } from '@svc/core'
import { buildHeartbeat } from '../agents/build-heartbeat.ts'
import { buildAlertWrite } from '../alerts/build-alert-write.ts'
import { buildId } from '../build-id.ts'
import { FakeClock } from '../fake-clock.ts'
import { buildJob } from '../jobs/build-job.ts'
import { openedStorage } from '../opened-storage.ts'
import { buildEndpoint } from './build-endpoint.ts'

const LEASE_SECONDS = 300

/** Contract suite of webhooks: events are told once, in the transaction of what happened. */
export function webhooksStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`webhooks store on ${name}`, () => {
    const storage = openedStorage(open)

    /** Makes a license with one endpoint. */
    async function scene(given: Parameters<typeof buildEndpoint>[0] = {}) {
      const { webhooks, jobs } = storage()
      const clock = new FakeClock()
      const endpoint = buildEndpoint({ tenantId: buildId('ten'), ...given })
      const { id, licenseId, tenantId } = endpoint
      await webhooks.add(endpoint, 10, clock.now())
      const told = async (of = id) => {
        const filter = { endpointId: of, states: undefined, after: undefined, limit: 100 }
        const found = await webhooks.deliveries(filter, clock.now())
        return found.toReversed()
      }
      const types = async (of = id) => (await told(of)).map(({ type }) => type)
      const dataOf = async (type: string) => {
        const found = (await told()).find((each) => each.type === type)
        const { body } = (await webhooks.delivery(id, found?.id ?? '')) ?? { body: '{}' }
        return JSON.parse(body) as { readonly timestamp: string; readonly data: object }
      }
      const owner = { licenseId, fingerprint: 'fp-0123456789ab' }
      const enqueue = async () => {
        const job = buildJob({ licenseId })
        await jobs.enqueue(job, clock.now())
        return job
      }
      const claim = (fingerprint = owner.fingerprint) =>
        jobs.lease({ licenseId, fingerprint, leaseSeconds: LEASE_SECONDS, claimKey: undefined }, clock.now())
      const report = (jobId: string, state: 'running' | 'succeeded' | 'failed') => {
        const word = { exitCode: 3, error: 'boom', attempt: undefined, leaseSeconds: LEASE_SECONDS }
        return jobs.report({ ...owner, ...word, jobId, state }, clock.now())
      }
      return { ...owner, id, tenantId, endpoint, clock, told, types, dataOf, enqueue, claim, report }
    }

    it('a job is told when it is claimed and when it ends, each once, with what the payload promises', async () => {
      const { clock, enqueue, claim, report, types, dataOf, told } = await scene({ events: ['job.*'] })
      const job = await enqueue()
      clock.advance(1000)
      await claim()
      clock.advance(1000)
      await report(job.id, 'running')
      clock.advance(1000)
      await report(job.id, 'failed')
      await report(job.id, 'failed')
      expect(await types()).toEqual(['job.claimed', 'job.failed'])
      expect(await dataOf('job.failed')).toEqual({
        type: 'job.failed',
        timestamp: clock.now().toISOString(),
        data: {
          job_id: job.id,
          kind: job.kind,
          state: 'failed',
          server_id: 'agt_fp-012345678',
          exit_code: 3,
          error: 'boom',
        },
      })
      expect(await told()).toMatchObject([
        { state: 'due', attempts: 0, kind: 'endpoint' },
        { state: 'due', createdAt: clock.now(), dueAt: clock.now() },
      ])
    })

    it('a job that another host takes over is reclaimed, and one that is cancelled is so', async () => {
      const { clock, enqueue, claim, types, licenseId } = await scene()
      await enqueue()
      await claim()
      clock.advance({ seconds: LEASE_SECONDS })
      await claim('another-host')
      clock.advance(1)
      const second = await enqueue()
      const cancel = { jobId: second.id, licenseId, fingerprint: undefined, reason: 'no' }
      await storage().jobs.requestCancel(cancel, clock.now())
      expect(await types()).toEqual(['job.claimed', 'job.reclaimed', 'job.cancelled'])
    })

    it('what a transaction reports is told with it, or not at all', async () => {
      const { clock, enqueue, claim, types, licenseId, fingerprint } = await scene()
      const job = await enqueue()
      await claim()
      const word = { exitCode: 0, error: undefined, attempt: undefined, leaseSeconds: LEASE_SECONDS }
      const report = { licenseId, fingerprint, ...word, jobId: job.id, state: 'succeeded' as const }
      const work = storage().transaction(async (stores) => {
        await stores.jobs.report(report, clock.now())
        throw new Error('on purpose')
      })
      await expect(work).rejects.toThrow('on purpose')
      expect(await types()).toEqual(['job.claimed'])
    })

    it('an endpoint gets the events that it asked for, and a disabled one gets them as skipped', async () => {
      const { webhooks } = storage()
      const { licenseId, clock, enqueue, claim, types, told } = await scene({ events: ['alert.opened'] })
      const [all, off] = [buildEndpoint({ licenseId }), buildEndpoint({ licenseId })]
      for (const each of [all, off]) await webhooks.add(each, 10, clock.now())
      await webhooks.disable(off.id, 'manual', clock.now())
      await enqueue()
      await claim()
      expect(await types()).toEqual([])
      expect(await told(all.id)).toMatchObject([{ type: 'job.claimed', state: 'due' }])
      expect(await told(off.id)).toMatchObject([{ state: 'skipped', settledAt: clock.now() }])
      const [one] = await told(all.id)
      const [other] = await told(off.id)
      expect(one?.payload).toBe(other?.payload)
    })

    it('alerts of a license and of its tenant are told, those of others are not', async () => {
      const { licenseId, tenantId, clock, types, dataOf } = await scene()
      const stranger = { licenseId: buildId('lic'), tenantId: buildId('ten') }
      const owners = [{ licenseId, tenantId }, { licenseId: '', tenantId }, stranger]
      for (const [at, owner] of owners.entries()) {
        const alertId = buildId('alr')
        const key = { ...owner, dedupKey: `k${at}`, alertId }
        const move = (revision: number, alert: 'open' | 'resolve') => {
          const now = clock.advance(1000)
          const write = buildAlertWrite({ ...key, revision, alert, notice: undefined })
          return storage().alerts.move(write, now, now)
        }
        await move(0, 'open')
        const until = new Date(clock.now().getTime() + 1000)
        const ack = { ids: [alertId], action: 'ack' as const, actor: 'ann', until }
        await storage().alerts.write(ack, clock.advance(1))
        await move(1, 'resolve')
      }
      const each = ['alert.opened', 'alert.acknowledged', 'alert.resolved']
      expect(await types()).toEqual([...each, ...each])
      expect(await dataOf('alert.opened')).toMatchObject({
        data: {
          alert_id: expect.any(String),
          kind: expect.any(String),
          subject: 'k0',
          severity: expect.any(String),
        },
      })
    })

    it('a host is told when it is first seen, and its next heartbeats are not', async () => {
      const { licenseId, clock, types, dataOf } = await scene({ events: ['host.*'] })
      const beat = () =>
        storage().agents.heartbeat(
          buildHeartbeat({ licenseId, fingerprint: 'fp', hostname: 'web-1' }),
          clock.now(),
        )
      await beat()
      const first = Math.floor(clock.now().getTime() / 1000)
      clock.advance({ minutes: 1 })
      await beat()
      expect(await types()).toEqual(['host.activated'])
      const data = { server_id: 'agt_fp', hostname: 'web-1', last_heartbeat: first }
      expect(await dataOf('host.activated')).toMatchObject({ data })
    })

    it('licenses of a tenant are told when they are issued and changed', async () => {
      const { tenantId, types } = await scene({ events: ['license.*'] })
      const { licenses, tenants } = storage()
      await tenants.add({ id: tenantId ?? '', name: buildId('acme') })
      const id = buildId('lic')
      await licenses.add({ id, keyDigest: buildId('key'), tenantId, label: 'two', expiresAt: undefined })
      await licenses.change(id, { label: 'three' })
      await licenses.setStatus(id, 'suspended')
      expect([...(await types())].sort()).toEqual(['license.issued', 'license.updated'])
    })

    it('an address stands once for a license, and a license has so many endpoints', async () => {
      const { webhooks } = storage()
      const { endpoint, clock, id } = await scene()
      const again = { ...buildEndpoint(endpoint), id: buildId('whe') }
      expect(await webhooks.add(again, 10, clock.now())).toMatchObject({ id })
      const more = buildEndpoint({ licenseId: endpoint.licenseId })
      expect(await webhooks.add(more, 1, clock.now())).toBe('full')
      const own = (await webhooks.list({ licenseId: endpoint.licenseId }, { limit: 9 })).map(
        (each) => each.endpoint.id,
      )
      expect(own).toEqual([id])
    })

    it('a removed endpoint cancels what waits, and is told nothing', async () => {
      const { webhooks } = storage()
      const { id, enqueue, claim, clock, told } = await scene()
      await enqueue()
      await claim()
      expect(await webhooks.remove(id, clock.now())).toBe(1)
      expect(await webhooks.remove(id, clock.now())).toBeUndefined()
      expect(await told()).toMatchObject([{ state: 'cancelled', settledAt: clock.now() }])
      await enqueue()
      await claim('another-host')
      expect(await told()).toHaveLength(1)
    })

    it('a replay repeats what did not arrive, once, and a named delivery always', async () => {
      const { webhooks } = storage()
      const { id, enqueue, claim, clock, told } = await scene()
      await webhooks.disable(id, 'manual', clock.now())
      for (let made = 0; made < 3; made += 1) {
        await enqueue()
        await claim(`host-${made}`)
        clock.advance(1)
      }
      await webhooks.enable(id)
      const base = { endpointId: id, states: ['skipped'], since: new Date(0), limit: 2 }
      expect(await webhooks.replayable({ ...base, salt: 'a' })).toEqual({ queued: 2, truncated: true })
      expect(await webhooks.replay({ ...base, salt: 'b' }, clock.now())).toEqual({
        queued: 2,
        truncated: true,
      })
      expect(await webhooks.replay({ ...base, salt: 'c' }, clock.now())).toEqual({
        queued: 1,
        truncated: false,
      })
      expect(await webhooks.replay({ ...base, salt: 'd' }, clock.now())).toEqual({
        queued: 0,
        truncated: false,
      })
      const [first] = await told()
      const named = { ...base, salt: 'e', deliveryId: first?.id, since: undefined }
      expect(await webhooks.replay(named, clock.now())).toMatchObject({ queued: 1 })
      const payloads = (await told()).map(({ payload }) => payload)
      expect([payloads.length, new Set(payloads).size]).toEqual([7, 3])
    })

    it('an endpoint is disabled when two of its deliveries were given up far enough apart', async () => {
      const { webhooks, deliveries } = storage()
      const { id, enqueue, claim, clock } = await scene()
      const policy = { failures: 99, cooldownSeconds: 1, cooldownMaxSeconds: 1 }
      const fail = async (at: number) => {
        await enqueue()
        await claim(`host-${at}`)
        const lease = { kind: 'endpoint', token: buildId('tok'), leaseSeconds: 60, only: [id] }
        await deliveries.takeDue({ ...lease, limit: 9, perRecipient: 9, maxAttempts: 1 }, clock.now())
        const filter = { endpointId: id, states: ['due'], after: undefined, limit: 9 }
        for (const each of await webhooks.deliveries(filter, clock.now())) {
          const verdict = { delivered: false, policy, spread: 1 }
          const rest = { delaySeconds: 0, status: 500, error: 'http_500', verdict }
          await deliveries.settle({ id: each.id, token: lease.token, state: 'failed', ...rest }, clock.now())
        }
      }
      const disabled = async () => (await webhooks.disableFailing(3600, 600, clock.now())).includes(id)
      await fail(0)
      clock.advance({ hours: 1 })
      expect(await disabled()).toBe(false)
      await fail(1)
      expect(await disabled()).toBe(true)
      expect(await disabled()).toBe(false)
      expect((await webhooks.dead()).map(({ endpoint }) => endpoint.id)).toContain(id)
      expect((await webhooks.get(id))?.way).toMatchObject({ paused: 'failing' })
      await webhooks.enable(id)
      expect((await webhooks.get(id))?.way).toMatchObject({ paused: undefined, failingSince: undefined })
    })

    it('attempts are kept with their delivery', async () => {
      const { webhooks, deliveries } = storage()
      const { id, enqueue, claim, clock, told } = await scene()
      await enqueue()
      await claim()
      const [delivery] = await told()
      for (const status of [500, 200]) {
        const token = buildId('tok')
        const lease = { kind: 'endpoint', token, leaseSeconds: 60, only: [id] }
        await deliveries.takeDue({ ...lease, limit: 1, perRecipient: 1, maxAttempts: 9 }, clock.now())
        const state = status === 200 ? ('sent' as const) : ('due' as const)
        const attempt = { durationMs: 12, response: `answer ${status}` }
        const rest = { delaySeconds: 0, status, error: undefined, attempt }
        await deliveries.settle({ id: delivery?.id ?? '', token, state, ...rest }, clock.now())
      }
      expect(await webhooks.delivery(id, delivery?.id ?? '')).toMatchObject({
        attempts: [
          { n: 1, status: 500, durationMs: 12, response: 'answer 500', at: clock.now() },
          { n: 2, status: 200, response: 'answer 200' },
        ],
      })
    })
  })
}
