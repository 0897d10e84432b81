import { describe, expect, it } from '@jest/globals'
import type { LifecycleStep, Storage } from '@svc/core'
import { buildId } from '../build-id.ts'
import { FakeClock } from '../fake-clock.ts'
import { openedStorage } from '../opened-storage.ts'
import { buildAlertWrite } from './build-alert-write.ts'

const LEASE_SECONDS = 60

/**
 * Contract suite of stores of deliveries: each transition is announced once per channel, and the end of an
 * alert only after its opening.
 */
export function alertDeliveriesStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`alert deliveries store on ${name}`, () => {
    const storage = openedStorage(open)
    const deliveries = () => storage().alertDeliveries

    /** Makes a tenant with a webhook, and an alert that changes as the test says. */
    async function scene({ webhook = true } = {}) {
      const clock = new FakeClock()
      const tenantId = buildId('ten')
      const audience = { channel: 'webhook' as const, tenantId }
      const hook = { tenantId, url: 'https://hooks.example/a', secret: 'whsec_first' }
      if (webhook) await deliveries().setWebhook({ ...hook, rotate: false }, clock.now())
      const owner = { licenseId: buildId('lic'), tenantId, dedupKey: 'k', alertId: buildId('alr') }
      let revision = 0
      const change = async (alert: LifecycleStep['alert'], notice: LifecycleStep['notice']) => {
        const at = clock.advance({ minutes: 1 })
        await storage().alerts.move(buildAlertWrite({ ...owner, revision, alert, notice }), at, at)
        revision += 1
      }
      const waits = async () =>
        (await deliveries().waiting())
          .filter((each) => each.tenantId === tenantId)
          .map(({ channel }) => channel)
      const take = async () => {
        const request = { token: buildId('tok'), leaseSeconds: LEASE_SECONDS, limit: 1000 }
        const taken = await deliveries().takeDue(request, clock.now())
        return { token: request.token, taken: taken.filter((each) => each.tenantId === tenantId) }
      }
      /** Takes every delivery that is due on one channel, ends each as `state` and returns the result. */
      const deliver = async (channel: 'log' | 'webhook', state: 'sent' | 'failed') => {
        const id = buildId('msg')
        await deliveries().bundle(id, { channel, tenantId }, clock.now())
        const { token } = await take()
        const outcome = { delaySeconds: 0, status: undefined, error: undefined }
        return deliveries().settle({ id, token, state, ...outcome }, clock.now())
      }
      return { ...owner, clock, audience, hook, change, waits, take, deliver }
    }

    it('a transition waits on the log, and on the webhook when there is one', async () => {
      const [with_, without] = [await scene(), await scene({ webhook: false })]
      for (const each of [with_, without]) await each.change('open', 'firing')
      expect(await with_.waits()).toEqual(['log', 'webhook'])
      expect(await without.waits()).toEqual(['log'])
    })

    it('a silent step announces nothing', async () => {
      const { change, waits } = await scene()
      await change('open', undefined)
      expect(await waits()).toEqual([])
    })

    it('a bundle takes everything that waits for its audience, once', async () => {
      const { change, audience, waits, clock, take, alertId, hook } = await scene()
      await change('open', 'firing')
      const ids = Array.from({ length: 8 }, () => buildId('msg'))
      const made = await Promise.all(ids.map((id) => deliveries().bundle(id, audience, clock.now())))
      expect(made.filter(Boolean)).toHaveLength(1)
      expect(await waits()).toEqual(['log'])
      const { taken } = await take()
      expect(taken).toMatchObject([
        {
          ...audience,
          attempts: 1,
          notices: [{ transition: 'firing', alert: { id: alertId, summary: 'web-1 has not reported' } }],
          webhook: hook,
        },
      ])
    })

    it('what one has taken another does not get until the lease is over', async () => {
      const { change, audience, clock, take } = await scene()
      await change('open', 'firing')
      await deliveries().bundle(buildId('msg'), audience, clock.now())
      const takes = await Promise.all(Array.from({ length: 8 }, take))
      expect(takes.flatMap(({ taken }) => taken)).toHaveLength(1)
      clock.advance({ seconds: LEASE_SECONDS - 1 })
      expect((await take()).taken).toEqual([])
      clock.advance({ seconds: 1 })
      expect((await take()).taken).toMatchObject([{ attempts: 2 }])
    })

    it('only who holds the lease settles, and a delivery that is due again waits its time', async () => {
      const { change, audience, clock, take } = await scene()
      await change('open', 'firing')
      const id = buildId('msg')
      await deliveries().bundle(id, audience, clock.now())
      const { token } = await take()
      const retry = { id, state: 'due' as const, delaySeconds: 90, status: 503, error: 'status' }
      expect(await deliveries().settle({ ...retry, token: 'another' }, clock.now())).toBe(false)
      expect(await deliveries().settle({ ...retry, token }, clock.now())).toBe(true)
      expect(await deliveries().settle({ ...retry, token }, clock.now())).toBe(false)
      expect(await deliveries().latest(audience.tenantId)).toMatchObject({
        id,
        state: 'due',
        attempts: 1,
        status: 503,
        error: 'status',
        dueAt: new Date(clock.now().getTime() + 90_000),
      })
      clock.advance({ seconds: 89 })
      expect((await take()).taken).toEqual([])
      clock.advance({ seconds: 1 })
      expect((await take()).taken).toMatchObject([{ id, attempts: 2 }])
    })

    it('the end of an alert waits until its opening was delivered on the same channel', async () => {
      const { change, waits, deliver } = await scene()
      await change('open', 'firing')
      await change('resolve', 'resolved')
      expect(await waits()).toEqual(['log', 'webhook'])
      await deliver('webhook', 'sent')
      expect(await waits()).toEqual(['log', 'webhook'])
      await deliver('webhook', 'sent')
      expect(await waits()).toEqual(['log'])
    })

    it('the end of an alert whose opening was given up, or never announced there, is not announced', async () => {
      const { change, waits, deliver, hook, clock } = await scene({ webhook: false })
      await change('open', 'firing')
      await deliveries().setWebhook({ ...hook, rotate: false }, clock.now())
      await deliver('log', 'failed')
      await change('resolve', 'resolved')
      expect(await waits()).toEqual([])
    })

    it('an opening that comes back is announced again, the same one is not', async () => {
      const { change, waits, deliver } = await scene()
      await change('open', 'firing')
      await deliver('log', 'sent')
      await deliver('webhook', 'sent')
      await change('keep', 'firing')
      expect(await waits()).toEqual([])
      await change('resolve', undefined)
      await change('reopen', 'firing')
      expect(await waits()).toEqual(['log', 'webhook'])
    })

    it('the first delivery of an opening is when it was announced', async () => {
      const { change, deliver, alertId, clock } = await scene()
      await change('open', 'firing')
      const at = clock.advance({ seconds: 5 })
      await deliver('log', 'sent')
      clock.advance({ seconds: 5 })
      await deliver('webhook', 'sent')
      expect(await storage().alerts.byIds([alertId], {})).toMatchObject([{ notifiedAt: at }])
      expect(await deliveries().reports(alertId)).toMatchObject([
        { channel: 'log', transition: 'firing', opening: 1, state: 'sent', attempts: 1, settledAt: at },
        { channel: 'webhook', transition: 'firing', state: 'sent', settledAt: clock.now() },
      ])
    })

    it('the late delivery of one opening does not announce the next', async () => {
      const { change, deliver, take, alertId, tenantId, clock } = await scene({ webhook: false })
      await change('open', 'firing')
      const id = buildId('msg')
      await deliveries().bundle(id, { channel: 'log', tenantId }, clock.now())
      const { token } = await take()
      await change('resolve', undefined)
      await change('reopen', 'firing')
      const sent = { state: 'sent' as const, delaySeconds: 0, status: undefined, error: undefined }
      clock.advance({ seconds: 1 - LEASE_SECONDS })
      expect(await deliveries().settle({ id, token, ...sent }, clock.now())).toBe(true)
      const notifiedAt = async () => (await storage().alerts.byIds([alertId], {}))[0]?.notifiedAt
      expect(await notifiedAt()).toBeUndefined()
      const at = clock.advance({ minutes: 5 })
      await deliver('log', 'sent')
      expect(await notifiedAt()).toEqual(at)
    })

    it('a webhook keeps its secret until it is rotated, and is gone when removed', async () => {
      const { hook, clock } = await scene()
      const next = { ...hook, url: 'https://hooks.example/b', secret: 'whsec_second' }
      const at = clock.advance({ seconds: 1 })
      expect(await deliveries().setWebhook({ ...next, rotate: false }, at)).toMatchObject({
        url: next.url,
        secret: hook.secret,
      })
      expect((await deliveries().setWebhook({ ...next, rotate: true }, at)).secret).toBe('whsec_second')
      expect(await deliveries().webhooks()).toContainEqual(await deliveries().webhook(hook.tenantId))
      expect(await deliveries().removeWebhook(hook.tenantId)).toBe(true)
      expect(await deliveries().removeWebhook(hook.tenantId)).toBe(false)
      expect(await deliveries().webhook(hook.tenantId)).toBeUndefined()
    })
  })
}
