import { PLATFORM, type Storage } from '@svc/core'
import type { LifecycleStep } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildAlertWrite, type WriteFields } from './build-alert-write.ts'

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
      const write = async (fields: WriteFields) => {
        const at = clock.now()
        await storage().alerts.move(buildAlertWrite({ ...owner, revision, ...fields }), at, at)
        revision += 1
      }
      const change = async (alert: LifecycleStep['alert'], notice: LifecycleStep['notice']) => {
        clock.advance({ minutes: 1 })
        await write({ alert, notice })
      }
      const waits = async () =>
        (await deliveries().waiting())
          .filter((each) => each.tenantId === tenantId)
          .map(({ channel }) => channel)
      /**
       * Puts the waiting notices of a channel into a delivery, ends the delivery as `state` and returns its
       * id.
       */
      const deliver = async (channel: 'log' | 'webhook' | 'mail', state: 'sent' | 'failed') => {
        const id = buildId('msg')
        await deliveries().bundle(id, { channel, tenantId })
        await storage().deliveries.add({ id, kind: channel, recipient: tenantId }, clock.now())
        const token = buildId('tok')
        const bounds = { leaseSeconds: 60, limit: 1000, perRecipient: 1000, maxAttempts: 12 }
        await storage().deliveries.takeDue({ kind: channel, token, ...bounds }, clock.now())
        const outcome = { delaySeconds: 0, status: undefined, error: undefined }
        await storage().deliveries.settle({ id, token, state, ...outcome }, clock.now())
        if (state === 'sent') await deliveries().announced(id, clock.now())
        return id
      }
      return { ...owner, clock, audience, hook, write, change, waits, deliver }
    }

    it('a transition waits on the log, and on the webhook when there is one', async () => {
      const [with_, without] = [await scene(), await scene({ webhook: false })]
      for (const each of [with_, without]) await each.change('open', 'firing')
      expect(await with_.waits()).toEqual(['log', 'webhook'])
      expect(await without.waits()).toEqual(['log'])
    })

    it('a transition waits for the mail addresses of its tenant, and the digest names them', async () => {
      const { change, waits, tenantId, clock, deliver } = await scene({ webhook: false })
      const addresses = ['ops@acme.example', 'ann@acme.example']
      const set = await deliveries().setMailboxes({ tenantId, addresses: ['old@acme.example'] }, clock.now())
      expect(set).toEqual({ tenantId, addresses: ['old@acme.example'], createdAt: clock.now() })
      clock.advance(1000)
      const second = await deliveries().setMailboxes({ tenantId, addresses }, clock.now())
      expect(second).toEqual({ tenantId, addresses, createdAt: set.createdAt })
      expect(await deliveries().mailboxes(PLATFORM)).toContainEqual(second)
      await change('open', 'firing')
      expect(await waits()).toEqual(['log', 'mail'])
      const id = await deliver('mail', 'sent')
      const digest = () => deliveries().digest({ id, channel: 'mail', tenantId })
      expect(await digest()).toMatchObject({
        addresses,
        webhook: undefined,
        notices: [{ transition: 'firing' }],
      })
      expect((await deliveries().digest({ id, channel: 'log', tenantId })).addresses).toEqual([])
      expect([
        await deliveries().removeMailboxes(tenantId),
        await deliveries().removeMailboxes(tenantId),
      ]).toEqual([true, false])
      expect((await digest()).addresses).toEqual([])
    })

    it('a silent step announces nothing', async () => {
      const { change, waits } = await scene()
      await change('open', undefined)
      expect(await waits()).toEqual([])
    })

    it('a bundle takes everything that waits for its audience, once', async () => {
      const { change, audience, waits, alertId, hook } = await scene()
      await change('open', 'firing')
      const ids = Array.from({ length: 8 }, () => buildId('msg'))
      const made = await Promise.all(ids.map((id) => deliveries().bundle(id, audience)))
      expect(made.filter(Boolean)).toHaveLength(1)
      expect(await waits()).toEqual(['log'])
      const id = ids[made.indexOf(true)] ?? ''
      expect(await deliveries().digest({ id, ...audience })).toMatchObject({
        notices: [{ transition: 'firing', alert: { id: alertId, summary: 'web-1 has not reported' } }],
        webhook: hook,
      })
    })

    it('a digest tells of an end before the next opening, also within one instant', async () => {
      const { change, write, deliver, tenantId } = await scene()
      await change('open', 'firing')
      await deliver('log', 'sent')
      await change('resolve', 'resolved')
      await write({ alert: 'reopen', notice: 'firing', actor: 'ann' })
      const log = { id: buildId('msg'), channel: 'log' as const, tenantId }
      await deliveries().bundle(log.id, log)
      const { notices } = await deliveries().digest(log)
      expect(notices.map(({ transition, alert }) => [transition, alert.count])).toEqual([
        ['resolved', 1],
        ['firing', 2],
      ])
    })

    it('a digest has a webhook only if it goes there and one is set', async () => {
      const { change, audience, tenantId } = await scene()
      await change('open', 'firing')
      const log = { id: buildId('msg'), channel: 'log' as const, tenantId }
      await deliveries().bundle(log.id, log)
      expect(await deliveries().digest(log)).toMatchObject({
        notices: [{ transition: 'firing' }],
        webhook: undefined,
      })
      await deliveries().removeWebhook(tenantId)
      const none = await deliveries().digest({ id: buildId('msg'), ...audience })
      expect(none).toEqual({ notices: [], webhook: undefined, addresses: [] })
    })

    it('what a transaction bundles waits again when the transaction fails', async () => {
      const { change, audience, waits } = await scene()
      await change('open', 'firing')
      const work = storage().transaction(async ({ alertDeliveries }) => {
        await alertDeliveries.bundle(buildId('msg'), audience)
        throw new Error('on purpose')
      })
      await expect(work).rejects.toThrow('on purpose')
      expect(await waits()).toEqual(['log', 'webhook'])
    })

    it('a notice shows what became of its delivery', async () => {
      const { change, deliver, alertId } = await scene({ webhook: false })
      await change('open', 'firing')
      expect(await deliveries().reports(alertId)).toMatchObject([{ id: '', state: 'due', attempts: 0 }])
      const id = await deliver('log', 'failed')
      expect(await deliveries().reports(alertId)).toMatchObject([{ id, state: 'failed', attempts: 1 }])
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
      expect(await storage().alerts.byIds(PLATFORM, [alertId])).toMatchObject([{ notifiedAt: at }])
      expect(await deliveries().reports(alertId)).toMatchObject([
        { channel: 'log', transition: 'firing', opening: 1, state: 'sent', attempts: 1, settledAt: at },
        { channel: 'webhook', transition: 'firing', state: 'sent', settledAt: clock.now() },
      ])
    })

    it('the late delivery of one opening does not announce the next', async () => {
      const { change, deliver, alertId, tenantId, clock } = await scene({ webhook: false })
      await change('open', 'firing')
      const late = buildId('msg')
      await deliveries().bundle(late, { channel: 'log', tenantId })
      await change('resolve', undefined)
      await change('reopen', 'firing')
      await deliveries().announced(late, clock.now())
      const notifiedAt = async () => (await storage().alerts.byIds(PLATFORM, [alertId]))[0]?.notifiedAt
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
      expect(await deliveries().webhooks(PLATFORM)).toContainEqual(await deliveries().webhook(hook.tenantId))
      expect(await deliveries().removeWebhook(hook.tenantId)).toBe(true)
      expect(await deliveries().removeWebhook(hook.tenantId)).toBe(false)
      expect(await deliveries().webhook(hook.tenantId)).toBeUndefined()
    })
  })
}
