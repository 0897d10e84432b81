import type { RequestListener } from 'node:http'
import { describe, expect, it } from '@jest/globals'
import { createOutbound } from '@svc/core'
import { RETRY_JITTER, RETRY_SECONDS } from '@svc/core/ports'
import { Webhook } from 'standardwebhooks'
import { counted } from '../../../../../../test/support/counted.ts'
import { type FarSide, farSide } from '../../../../../../test/support/far-side.ts'
import { ScriptedResolver } from '../../../platform/net/scripted-resolver.ts'
import { FleetScene } from '../fleet-scene.ts'

const ALLOW = { SERVICE_OUTBOUND_ALLOW: '127.0.0.0/8' }
const resolver = new ScriptedResolver({ 'hooks.example': [['127.0.0.1']] })
const outbound = () => createOutbound({ resolver, allow: ['127.0.0.0/8'] })

/** Opens a scene whose tenant is notified at a receiver on loopback; returns its secret too. */
async function told(
  handle?: RequestListener,
  url = (far: FarSide) => `http://hooks.example:${far.port}/a?b`,
) {
  const far = await farSide(handle)
  const client = outbound()
  const scene = await FleetScene.open({ env: ALLOW, parts: { outbound: client } }, 'acme')
  const set = { url: url(far), tenant: 'acme' }
  const answer = await scene.test.plane.operations.run('alerts.webhook-set', set, 'ann')
  return {
    far,
    scene,
    secret: String(answer.secret),
    [Symbol.asyncDispose]: async () => {
      await scene[Symbol.asyncDispose]()
      await client[Symbol.asyncDispose]()
      await far[Symbol.asyncDispose]()
    },
  }
}

/** Returns the requests of a receiver, each verified by the reference implementation. */
const verified = ({ seen }: FarSide, secret: string) =>
  seen.map(({ body, headers }) => {
    // The reference compares with the machine's clock, and the service uses a fake one.
    const { timestamp } = JSON.parse(body) as { timestamp: string }
    const webhook = new Webhook(secret)
    const id = headers['webhook-id'] as string
    const at = new Date(Number(headers['webhook-timestamp']) * 1000)
    expect(webhook.sign(id, at, body)).toBe(headers['webhook-signature'])
    const data = (JSON.parse(body) as { data: { alerts?: { transition: string; alert: object }[] } }).data
    return { id, timestamp, alerts: data.alerts ?? [] }
  })

describe('webhooks of alerts', () => {
  it('a tenant is told of openings and ends, one digest a tick, each message signed', async () => {
    await using stage = await told()
    const { scene, far, secret } = stage
    await scene.beat({ diskPct: 95, memPct: 99 })
    await scene.tick()
    expect(far.seen).toEqual([])
    await scene.tick()
    await scene.beat({ diskPct: 10, memPct: 10 })
    await scene.tick()
    await scene.tick()
    const messages = verified(far, secret)
    expect(messages.map(({ alerts }) => alerts.map(({ transition }) => transition))).toEqual([
      ['firing', 'firing'],
      ['resolved', 'resolved'],
    ])
    expect(messages[0]?.alerts[0]).toMatchObject({
      license_id: scene.licenseId,
      alert: { kind: 'disk_high', status: 'firing', host: { id: 'agt_fp', hostname: 'web-1' } },
    })
    expect(far.seen[0]).toMatchObject({ method: 'POST', url: '/a?b' })
    expect(await counted(scene.test.plane, 'svc_alert_deliveries_total')).toEqual({
      '{channel="log",outcome="sent"}': 2,
      '{channel="webhook",outcome="sent"}': 2,
    })
  })

  it('the official verifier accepts a message of this moment, and none that was changed', async () => {
    await using stage = await told()
    const { scene, far, secret } = stage
    const { clock } = scene.test
    const skew = Date.now() - clock.now().getTime()
    clock.advance(skew)
    await scene.test.plane.operations.run('alerts.webhook-test', { tenant: 'acme' }, 'ann')
    const [message] = far.seen
    const headers = message?.headers as Record<string, string>
    const body = message?.body ?? ''
    const webhook = new Webhook(secret)
    expect(webhook.verify(body, headers)).toMatchObject({ type: 'alerts.test' })
    expect(() => webhook.verify(`${body} `, headers)).toThrow()
    expect(() => new Webhook('whsec_AAAA').verify(body, headers)).toThrow()
  })

  it('the official verifier accepts a digest of this moment, and none that was changed', async () => {
    await using stage = await told()
    const { scene, far, secret } = stage
    const { clock } = scene.test
    clock.advance(Date.now() - clock.now().getTime())
    await scene.beat({ diskPct: 95 })
    await scene.tick()
    await scene.tick()
    const [message] = far.seen
    const headers = message?.headers as Record<string, string>
    const body = message?.body ?? ''
    const webhook = new Webhook(secret)
    expect(webhook.verify(body, headers)).toMatchObject({
      type: 'alerts.digest',
      data: { alerts: [{ transition: 'firing', alert: { kind: 'disk_high', status: 'firing' } }] },
    })
    expect(() => webhook.verify(body.replace('firing', 'resolved'), headers)).toThrow()
    expect(() => webhook.verify(body, { ...headers, 'webhook-id': 'msg_another' })).toThrow()
    expect(() => new Webhook('whsec_AAAA').verify(body, headers)).toThrow()
  })

  it('sixteen ticks at once deliver one message', async () => {
    await using stage = await told()
    const { scene, far } = stage
    await scene.beat({ diskPct: 95 })
    await scene.tick()
    scene.test.clock.advance({ minutes: 1 })
    await scene.test.plane.alerts.evaluate()
    const { alerts } = scene.test.plane
    await Promise.all(Array.from({ length: 16 }, () => alerts.deliver()))
    expect(far.seen).toHaveLength(1)
  })

  it('what a receiver refuses comes again on later ticks, later and later, under the same id', async () => {
    let refusals = 3
    await using stage = await told((_request, response) => {
      refusals -= 1
      response.writeHead(refusals >= 0 ? 503 : 204).end()
    })
    const { scene, far, secret } = stage
    await scene.beat({ diskPct: 95 })
    let minutes = 0
    const at: number[] = []
    for (; minutes < 14; minutes += 1) {
      const before = far.seen.length
      await scene.beat({ diskPct: 95 })
      await scene.tick()
      if (far.seen.length > before) at.push(minutes)
    }
    expect(at).toEqual([1, 2, 4, 9])
    expect(new Set(verified(far, secret).map(({ id }) => id)).size).toBe(1)
    expect(new Set(far.seen.map(({ body }) => body)).size).toBe(1)
    const { webhooks } = await scene.test.plane.operations.run('alerts.webhooks', {}, 'ann')
    expect(webhooks).toMatchObject([{ latest_delivery: { state: 'sent', attempts: 4, http_status: 204 } }])
  })

  it('a receiver that stays away is given up visibly, and the end of that alert is not sent to it', async () => {
    let answering = false
    await using stage = await told((_request, response) => response.writeHead(answering ? 200 : 500).end())
    const { scene, far } = stage
    const { plane, clock } = scene.test
    await scene.beat({ diskPct: 95 })
    await scene.tick()
    await scene.tick()
    for (const seconds of RETRY_SECONDS) {
      clock.advance({ seconds: seconds * (1 + RETRY_JITTER) })
      await plane.alerts.deliver()
    }
    expect(far.seen).toHaveLength(RETRY_SECONDS.length + 1)
    const { webhooks } = await plane.operations.run('alerts.webhooks', {}, 'ann')
    expect(webhooks).toMatchObject([
      { latest_delivery: { state: 'failed', http_status: 500, error: 'status' } },
    ])
    answering = true
    await scene.beat({ diskPct: 10 })
    await scene.tick()
    await scene.tick()
    expect(far.seen).toHaveLength(RETRY_SECONDS.length + 1)
    expect(scene.told()).toEqual(expect.arrayContaining(['firing disk_high', 'resolved disk_high']))
  })

  it('410 Gone is believed at once', async () => {
    await using stage = await told((_request, response) => response.writeHead(410).end())
    await stage.scene.beat({ diskPct: 95 })
    await stage.scene.tick()
    await stage.scene.tick()
    const { webhooks } = await stage.scene.test.plane.operations.run('alerts.webhooks', {}, 'ann')
    expect(webhooks).toMatchObject([{ latest_delivery: { state: 'failed', attempts: 1, http_status: 410 } }])
  })

  it('an address that is not public is never called, and the reason is shown', async () => {
    await using stage = await told(undefined, () => 'https://10.0.0.1/secret-path')
    const { scene, far } = stage
    await scene.beat({ diskPct: 95 })
    await scene.tick()
    await scene.tick()
    expect(far.connections()).toBe(0)
    const { webhooks } = await scene.test.plane.operations.run('alerts.webhooks', {}, 'ann')
    expect(webhooks).toMatchObject([{ latest_delivery: { state: 'due', error: 'not-public' } }])
    expect(JSON.stringify(webhooks)).not.toContain('secret-path')
  })

  it('a redirect is not followed', async () => {
    await using stage = await told((_request, response) =>
      response.writeHead(307, { location: '/elsewhere' }).end(),
    )
    await stage.scene.beat({ diskPct: 95 })
    await stage.scene.tick()
    await stage.scene.tick()
    expect(stage.far.seen.map(({ url }) => url)).toEqual(['/a?b'])
  })

  it('what belongs to another tenant, or to none, is not told', async () => {
    await using stage = await told()
    const { scene, far } = stage
    const stranger = await scene.test.license('stranger')
    await scene.beat({ licenseId: stranger.id, diskPct: 95 })
    await scene.tick()
    await scene.tick()
    expect(scene.told()).toEqual(['firing disk_high'])
    expect(far.seen).toEqual([])
  })

  it('what belongs to no tenant is told at the platform’s own webhook', async () => {
    await using stage = await told()
    const { scene, far } = stage
    const platform = { url: `http://hooks.example:${far.port}/platform` }
    await scene.test.plane.operations.run('alerts.webhook-set', platform, 'ann')
    const stranger = await scene.test.license('stranger')
    await scene.beat({ licenseId: stranger.id, diskPct: 95 })
    await scene.tick()
    await scene.tick()
    expect(far.seen.map(({ url }) => url)).toEqual(['/platform'])
  })

  it('neither the secret nor the path of an address is in the audit log, the log or a later answer', async () => {
    await using stage = await told(undefined, () => 'https://hooks.example/T0K3N')
    const { scene, secret } = stage
    const again = { url: 'https://hooks.example/T0K3N', tenant: 'acme' }
    const { plane, storage, log } = scene.test
    const answer = await plane.operations.run('alerts.webhook-set', again, 'ann')
    const list = await plane.operations.run('alerts.webhooks', {}, 'ann')
    const rows = await storage.audit.list(10)
    expect(rows.map(({ operation }) => operation)).toContain('alerts.webhook-set')
    for (const text of [JSON.stringify([answer, list, rows]), log.text()]) {
      expect(text).not.toContain('T0K3N')
      expect(text).not.toContain(secret)
    }
  })

  it.each([
    'ftp://hooks.example/',
    'https://user:pass@hooks.example/',
    'hooks.example',
    'https://hooks.example:22/',
  ])('refuses %s', async (url) => {
    await using scene = await FleetScene.open()
    const asked = scene.test.plane.operations.run('alerts.webhook-set', { url }, 'ann')
    await expect(asked).rejects.toMatchObject({ code: 'invalid-input' })
  })

  it('in production an address without TLS is refused unless a private network is allowed', async () => {
    await using scene = await FleetScene.open()
    const { operations } = scene.test.plane
    const asked = operations.run('alerts.webhook-set', { url: 'http://hooks.example/' }, 'ann')
    await expect(asked).rejects.toMatchObject({ code: 'invalid-input' })
  })
})
