import { ofLicense, PLATFORM, type Storage } from '@svc/core'
import { buildId } from '../../build-id.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildEndpoint } from './build-endpoint.ts'
import { webhookScene } from './webhook-scene.ts'

/** The part of the contract of webhooks about endpoints and their deliveries. */
export function endpointsContract(name: string, open: () => Promise<Storage>): void {
  describe(`endpoints of webhooks on ${name}`, () => {
    const storage = openedStorage(open)
    const scene = () => webhookScene(storage())

    it('an address stands once for a license, and a license has so many endpoints', async () => {
      const { webhooks } = storage()
      const { endpoint, clock, id } = await scene()
      const again = { ...buildEndpoint(endpoint), id: buildId('whe') }
      expect(await webhooks.add(again, 10, clock.now())).toMatchObject({ id })
      const more = buildEndpoint({ licenseId: endpoint.licenseId })
      expect(await webhooks.add(more, 1, clock.now())).toBe('full')
      const own = (await webhooks.list(ofLicense(endpoint.licenseId), { limit: 9 })).map(
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

    it('a replay repeats no test message', async () => {
      const { webhooks, deliveries } = storage()
      const { id, licenseId, clock, told } = await scene()
      const message = { id: buildId('msg'), licenseId, type: 'webhook.ping', body: '{}' }
      await webhooks.say(message, clock.now())
      const test = { id: buildId('dlv'), kind: 'endpoint', recipient: id, payload: message.id }
      await deliveries.add({ ...test, isForced: true }, clock.now())
      const bounds = { leaseSeconds: 60, limit: 9, perRecipient: 9, maxAttempts: 1 }
      await deliveries.takeDue({ kind: 'endpoint', token: 'tok', ...bounds }, clock.now())
      const outcome = { delaySeconds: 0, status: 500, error: 'http_500' }
      await deliveries.settle({ id: test.id, token: 'tok', state: 'failed', ...outcome }, clock.now())
      expect(await told()).toMatchObject([{ id: test.id, state: 'failed' }])
      const failed = { endpointId: id, states: ['failed'], since: new Date(0), limit: 9, salt: 'a' }
      expect(await webhooks.replayable(failed)).toEqual({ queued: 0, truncated: false })
      expect(await webhooks.replay(failed, clock.now())).toEqual({ queued: 0, truncated: false })
    })

    it('a disabled endpoint stays disabled, however long nothing was sent to it', async () => {
      const { webhooks, deliveries } = storage()
      const { id, licenseId, enqueue, claim, clock } = await scene()
      await enqueue()
      await claim()
      const bounds = { leaseSeconds: 60, limit: 9, perRecipient: 9, maxAttempts: 9 }
      const [taken] = await deliveries.takeDue({ kind: 'endpoint', token: 'tok', ...bounds }, clock.now())
      const policy = { failures: 5, cooldownSeconds: 60, cooldownMaxSeconds: 600 }
      const sent = { delaySeconds: 0, status: 200, error: undefined }
      const verdict = { delivered: true, policy, spread: 1 }
      await deliveries.settle(
        { id: taken?.id ?? '', token: 'tok', state: 'sent', ...sent, verdict },
        clock.now(),
      )
      await webhooks.disable(id, 'manual', clock.now())
      clock.advance({ days: 8 })
      await deliveries.purge('endpoint', { keepDays: 7, limit: 9 }, clock.now())
      const [own] = await webhooks.list(ofLicense(licenseId), { limit: 9 })
      expect(own?.way).toMatchObject({ paused: 'manual' })
    })

    it('pages of two show each delivery of one transaction once', async () => {
      const { id, licenseId } = await scene()
      const rows = storage()
      // Without an instant of ours, so that the database's own clock counts.
      await rows.transaction(async ({ webhooks, deliveries }) => {
        for (let made = 0; made < 5; made += 1) {
          const message = { id: buildId('msg'), licenseId, type: 'ping', body: '{}' }
          await webhooks.say(message)
          await deliveries.add({ id: buildId('dlv'), kind: 'endpoint', recipient: id, payload: message.id })
        }
      })
      const seen: string[] = []
      let after: { readonly micros: string; readonly id: string } | undefined
      do {
        const page = await rows.webhooks.deliveries({ endpointId: id, states: undefined, after, limit: 2 })
        seen.push(...page.map((each) => each.id))
        after = page.at(-1)
      } while (after !== undefined && seen.length <= 5)
      expect([seen.length, new Set(seen).size]).toEqual([5, 5])
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
      expect((await webhooks.get(PLATFORM, id))?.way).toMatchObject({ paused: 'failing' })
      await webhooks.enable(id)
      expect((await webhooks.get(PLATFORM, id))?.way).toMatchObject({
        paused: undefined,
        failingSince: undefined,
      })
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
