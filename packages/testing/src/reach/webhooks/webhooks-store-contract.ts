import { PLATFORM, type Storage } from '@svc/core'
import type { NewEndpoint } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildAlertWrite } from '../../watch/alerts/build-alert-write.ts'
import { buildHeartbeat } from '../../work/agents/build-heartbeat.ts'
import { buildEndpoint } from './build-endpoint.ts'
import { endpointsContract } from './endpoints-contract.ts'
import { messagesContract } from './messages-contract.ts'
import { moreEventsContract } from './more-events-contract.ts'
import { LEASE_SECONDS, webhookScene } from './webhook-scene.ts'

/** Contract suite of webhooks: events are told once, in the transaction of their cause. */
export function webhooksStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`webhooks store on ${name}`, () => {
    const storage = openedStorage(open)

    const scene = (given?: Partial<NewEndpoint>) => webhookScene(storage(), given)

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
      const { clock, enqueue, claim, types } = await scene()
      await enqueue()
      await claim()
      clock.advance({ seconds: LEASE_SECONDS })
      await claim('another-host')
      clock.advance(1)
      const second = await enqueue()
      const cancel = { jobId: second.id, fingerprint: undefined, reason: 'no' }
      await storage().jobs.requestCancel(PLATFORM, cancel, clock.now())
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
      await storage().webhooks.add(buildEndpoint(stranger), 10, clock.now())
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
  })
  endpointsContract(name, open)
  messagesContract(name, open)
  moreEventsContract(name, open)
}
