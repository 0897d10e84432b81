import { PLATFORM, type Storage } from '@svc/core'
import { buildId } from '../../build-id.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildEndpoint } from './build-endpoint.ts'
import { webhookScene } from './webhook-scene.ts'

/** The part of the contract of webhooks about secrets and messages. */
export function messagesContract(name: string, open: () => Promise<Storage>): void {
  describe(`messages of webhooks on ${name}`, () => {
    const storage = openedStorage(open)
    const scene = () => webhookScene(storage())

    it('a rotation keeps the former secret for its grace, and of two at once one counts', async () => {
      const { webhooks } = storage()
      const { id, endpoint, clock } = await scene()
      const rotate = (secret: string) => {
        const change = { id, from: endpoint.secret, secret, oldSecret: 'v1:old', graceSeconds: 60 }
        return webhooks.rotate(change, clock.now())
      }
      expect([await rotate('v1:second'), await rotate('v1:third')]).toEqual([true, false])
      expect((await webhooks.get(PLATFORM, id))?.endpoint).toMatchObject({
        secret: 'v1:second',
        oldSecret: 'v1:old',
        oldSecretUntil: new Date(clock.now().getTime() + 60_000),
      })
    })

    it('an addition waits for the end of another to the same license', async () => {
      const licenseId = buildId('lic')
      const add = () =>
        storage().transaction(async ({ webhooks }) => {
          await webhooks.begin(licenseId)
          return webhooks.add(buildEndpoint({ licenseId }), 1)
        })
      const made = await Promise.all([add(), add(), add()])
      expect(made.filter((each) => each === 'full')).toHaveLength(2)
    })

    it('what the service itself could not do stands on the endpoint until it can', async () => {
      const { webhooks } = storage()
      const { id } = await scene()
      const lastError = async () => (await webhooks.get(PLATFORM, id))?.endpoint.lastError
      await webhooks.note(id, 'secret_unavailable')
      expect(await lastError()).toBe('secret_unavailable')
      await webhooks.note(id, undefined)
      expect(await lastError()).toBeUndefined()
    })

    it('closing a breaker keeps why an endpoint is disabled, and since when it fails', async () => {
      const { webhooks, deliveries } = storage()
      const { id, clock, enqueue, claim, told } = await scene()
      await enqueue()
      await claim()
      const token = buildId('tok')
      const lease = { kind: 'endpoint', token, leaseSeconds: 60, only: [id], limit: 1, perRecipient: 1 }
      await deliveries.takeDue({ ...lease, maxAttempts: 9 }, clock.now())
      const [delivery] = await told()
      const policy = { failures: 1, cooldownSeconds: 60, cooldownMaxSeconds: 60 }
      const result = { state: 'due' as const, delaySeconds: 0, status: 500, error: 'http_500' }
      const verdict = { delivered: false, policy, spread: 1 }
      await deliveries.settle({ id: delivery?.id ?? '', token, ...result, verdict }, clock.now())
      await webhooks.disable(id, 'manual', clock.now())
      await webhooks.closeBreaker(id)
      expect((await webhooks.get(PLATFORM, id))?.way).toMatchObject({
        breaker: 'closed',
        consecutiveFailures: 0,
        failingSince: clock.now(),
        paused: 'manual',
      })
    })

    it('the other endpoints of a license are told, once, and the one itself is not', async () => {
      const { webhooks } = storage()
      const { id, licenseId, clock, types } = await scene()
      const other = buildEndpoint({ licenseId })
      await webhooks.add(other, 10, clock.now())
      const found = await webhooks.get(PLATFORM, id)
      if (found === undefined) throw new Error('the endpoint is gone')
      const { endpoint } = found
      const event = { endpoint, type: 'webhook.endpoint_disabled' as const, fact: 'f', data: { a: 1 } }
      for (let turn = 0; turn < 2; turn += 1) await webhooks.tellOthers(event, clock.now())
      expect([await types(), await types(other.id)]).toEqual([[], ['webhook.endpoint_disabled']])
    })

    it('a message goes out with its endpoint, as long as both are there, and is gone after its time', async () => {
      const { webhooks } = storage()
      const { id, licenseId, clock } = await scene()
      const message = { id: buildId('msg'), licenseId, type: 'webhook.ping', body: '{"a": 1}' }
      await webhooks.say(message, clock.now())
      const outgoing = () => webhooks.outgoing({ recipient: id, payload: message.id })
      expect(await outgoing()).toMatchObject({ endpoint: { id }, body: message.body })
      expect(await webhooks.outgoing({ recipient: buildId('whe'), payload: message.id })).toBeUndefined()
      clock.advance({ days: 30 })
      await webhooks.purge(30, 1000, clock.now())
      expect(await outgoing()).toBeDefined()
      clock.advance(1)
      await webhooks.purge(30, 1000, clock.now())
      expect(await outgoing()).toBeUndefined()
    })

    it('the age of messages follows the setting', async () => {
      const { webhooks } = storage()
      const { enqueue, claim, clock, told } = await scene()
      await webhooks.setMaxAge(60)
      await enqueue()
      await claim()
      clock.advance({ seconds: 60 })
      await storage().deliveries.expire('endpoint', clock.now())
      expect(await told()).toMatchObject([{ state: 'expired' }])
    })
  })
}
