import type { Storage } from '@svc/core'
import type { OrderState } from '@svc/core/ports'
import { buildOrder } from '../../hosts/provisioning/build-order.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildHeartbeat } from '../../work/agents/build-heartbeat.ts'
import { buildGitDelivery, buildGitHook } from '../../work/git/build-git-hook.ts'
import { buildImage } from '../../work/images/build-image.ts'
import { buildEmailDomain } from '../email/build-email-domain.ts'
import { buildEmailMessage } from '../email/build-email-message.ts'
import { webhookScene } from './webhook-scene.ts'

/** The part of the contract of webhooks about messages, sending domains, images, pushes and orders. */
export function moreEventsContract(name: string, open: () => Promise<Storage>): void {
  describe(`events of messages, domains, images and pushes on ${name}`, () => {
    const storage = openedStorage(open)
    const scene = () => webhookScene(storage())

    it('a message is told when it is over, with numbers and without addresses', async () => {
      const { licenseId: owner, clock, types, dataOf } = await scene()
      const { emailMessages } = storage()
      const recipients = ['bob@example.net', 'eve@example.net'].map((address) => {
        return { address, role: 'to', state: 'queued' } as const
      })
      const fields = { owner, recipients, tags: { list: 'news' } }
      const made = [1, 2, 3].map(() => buildEmailMessage(fields))
      for (const message of made) await emailMessages.add(message, clock.advance(1))
      const [sent, failed, cancelled] = made.map(({ id }) => id)
      const ended = (state: 'accepted' | 'bounced' | 'failed', at: number) => {
        const address = recipients[at]?.address ?? ''
        return { address, state, smtpCode: 250, smtpText: 'said' }
      }
      const record = (
        id = '',
        state: 'queued' | 'partial' | 'failed',
        states: Parameters<typeof ended>[0][],
      ) =>
        emailMessages.record({ id, state, recipients: states.map(ended), isUnknown: false }, clock.advance(1))
      await record(sent, 'queued', ['accepted'])
      await record(sent, 'partial', ['accepted', 'bounced'])
      await record(failed, 'failed', ['failed', 'failed'])
      await emailMessages.cancel(cancelled ?? '', clock.advance(1))
      expect(await types()).toEqual(['email.sent', 'email.failed'])
      expect((await dataOf('email.sent')).data).toEqual({
        email_id: sent,
        state: 'partial',
        accepted: 1,
        bounced: 1,
        tags: { list: 'news' },
      })
      await emailMessages.requeue(failed ?? '')
      await record(failed, 'failed', ['failed', 'failed'])
      expect(await types()).toEqual(['email.sent', 'email.failed', 'email.failed'])
    })

    it('a sending domain is told when its state becomes verified or failed', async () => {
      const { licenseId: owner, clock, types, dataOf } = await scene()
      const { emailDomains } = storage()
      const domain = buildEmailDomain({ owner })
      await emailDomains.add(domain, 10, clock.now())
      for (const status of ['verified', 'verified', 'degraded', 'failed'] as const) {
        const request = { id: domain.id, token: status, leaseSeconds: 60, limit: 1 }
        await emailDomains.takeDue(request, clock.advance(1000))
        const never = { failingSince: undefined, promoted: undefined, isVerified: false, delaySeconds: 60 }
        const findings = { dkim: { status: 'verified' as const }, spf: { status: 'missing' as const } }
        const settlement = { id: domain.id, token: status, status, findings, ...never }
        await emailDomains.settle(settlement, clock.now())
      }
      expect(await types()).toEqual(['email.domain.verified', 'email.domain.failed'])
      const records = [
        { record: 'DKIM', status: 'verified' },
        { record: 'SPF', status: 'missing' },
        { record: 'DMARC', status: 'pending' },
      ]
      const data = { domain_id: domain.id, name: domain.name, records }
      expect((await dataOf('email.domain.failed')).data).toEqual(data)
    })

    it('an image is told when it is registered, and not when it is registered again', async () => {
      const { licenseId, fingerprint, clock, types, dataOf } = await scene()
      await storage().agents.heartbeat(buildHeartbeat({ licenseId, fingerprint }), clock.now())
      const image = buildImage({ licenseId, fingerprint, app: 'shop' })
      for (const label of ['one', 'two'])
        await storage().images.register({ ...image, label }, clock.advance(1))
      expect(await types()).toEqual(['host.activated', 'image.registered'])
      expect((await dataOf('image.registered')).data).toEqual({
        image_id: image.id,
        server_id: 'agt_fp-012345678',
        checksum: image.checksum,
        kind: 'snapshot',
        app: 'shop',
      })
    })

    it('a push that deploys is told, one that is ignored or comes twice is not', async () => {
      const { licenseId, clock, types, dataOf } = await scene()
      const hook = buildGitHook({ licenseId })
      await storage().gitHooks.add(hook, 10, clock.now())
      const record = (fields: Parameters<typeof buildGitDelivery>[0]) =>
        storage().gitHooks.record(buildGitDelivery(fields), clock.advance(1000))
      const one = { hookId: hook.id, deliveryId: 'one' }
      await record({ ...one, ignored: 'paths', jobId: undefined })
      await record({ ...one, jobId: 'job_1' })
      await record({ hookId: hook.id, deliveryId: 'two', ignored: 'duplicate', jobId: 'job_1' })
      expect(await types()).toEqual(['git.push'])
      expect((await dataOf('git.push')).data).toEqual({
        hook_id: hook.id,
        app: 'shop',
        ref: 'refs/heads/main',
        sha: 'b'.repeat(40),
        job_id: 'job_1',
      })
    })

    it('an order for a server is told each state that it reaches, and why it failed', async () => {
      const { licenseId, clock, types, dataOf } = await scene()
      const { provisioning } = storage()
      const { id } = await provisioning.add(buildOrder({ licenseId }), clock.now())
      const move = (from: OrderState, to: OrderState, errorCode: string | null) =>
        provisioning.move(
          {
            id,
            token: undefined,
            from,
            to,
            step: 'price',
            outcome: 'advanced',
            delaySeconds: 0,
            releases: false,
            change: { errorCode, errorDetail: 'never told' },
          },
          clock.advance(1),
        )
      await move('requested', 'requested', 'plan_disabled')
      expect(await types()).toEqual([])
      await move('requested', 'pricing', null)
      expect((await dataOf('provisioning.state_changed')).data).toEqual({
        order_id: id,
        previous_state: 'requested',
        state: 'pricing',
        provider: 'hetzner',
      })
      await move('pricing', 'failed', 'price_changed')
      expect(await types()).toEqual(Array(2).fill('provisioning.state_changed'))
      const bodies = await storage().provisioning.get(id)
      expect(bodies?.state).toBe('failed')
    })
  })
}
