import type { RequestListener } from 'node:http'
import { describe, expect, it } from '@jest/globals'
import { ofLicense, PLATFORM } from '@svc/core'
import { counted } from '../../../../../test/support/counted.ts'
import { farSide } from '../../../../../test/support/far-side.ts'
import { isVerified, WebhookScene } from './webhook-scene.ts'

/** Answers with each status in turn, then with 200. */
const answering = (codes: number[], headers = {}): RequestListener => {
  return (_request, response) => response.writeHead(codes.shift() ?? 200, headers).end('hello')
}
const headersOf = ({ headers }: { readonly headers: object }) => headers as Record<string, string>

describe('webhooks of licenses', () => {
  it('a message verifies with the returned secret, and not with one byte changed', async () => {
    await using scene = await WebhookScene.open()
    const { secret } = await scene.add()
    await scene.event()
    await scene.run('run')
    const [seen] = scene.far.seen
    const { body, headers } = seen ?? { body: '', headers: {} }
    expect(isVerified(secret, body, headers as Record<string, string>)).toBe(true)
    expect(isVerified(secret, `${body.slice(0, -1)} `, headers as Record<string, string>)).toBe(false)
    expect(JSON.parse(body)).toMatchObject({ type: 'job.claimed', data: { kind: 'prune' } })
    expect(seen).toMatchObject({ method: 'POST', url: '/hook' })
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'svc-webhooks/1' })
  })

  it('during the grace of a rotation both secrets verify, afterwards only the new one', async () => {
    await using scene = await WebhookScene.open()
    const { id, secret: first } = await scene.add()
    const { secret: second } = await scene.run<{ secret: string }>('rotate', {
      endpoint: id,
      grace_seconds: 60,
    })
    await scene.event()
    await scene.run('run')
    scene.test.clock.advance({ seconds: 61 })
    await scene.event()
    await scene.run('run')
    const by = (secret: string) =>
      scene.far.seen.map((each) => isVerified(secret, each.body, headersOf(each)))
    expect([by(first), by(second)]).toEqual([
      [true, false],
      [true, true],
    ])
    expect(second).not.toBe(first)
  })

  it('a rotation during the grace of another drops the oldest secret', async () => {
    await using scene = await WebhookScene.open()
    const { id, secret: oldest } = await scene.add()
    for (let turn = 0; turn < 2; turn += 1) await scene.run('rotate', { endpoint: id, grace_seconds: 600 })
    await scene.event()
    await scene.run('run')
    expect(scene.verified(oldest)).toEqual([])
    expect(scene.far.seen[0]?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
  })

  it('what fails comes again under the same id, later each time, until it is delivered', async () => {
    await using scene = await WebhookScene.open(answering([500, 500]))
    const { id, secret } = await scene.add()
    await scene.event()
    for (const seconds of [0, 6, 360]) {
      scene.test.clock.advance({ seconds })
      await scene.run('run')
    }
    const { seen } = scene.far
    expect(seen).toHaveLength(3)
    expect(new Set(seen.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    const times = seen.map(({ headers }) => Number(headers['webhook-timestamp']))
    expect([...times].sort((one, other) => one - other)).toEqual(times)
    expect(new Set(times).size).toBe(3)
    expect(scene.verified(secret)).toHaveLength(3)
    const { deliveries } = await scene.show(id)
    expect(deliveries).toMatchObject([{ state: 'delivered', attempt: 3, last_status: 200 }])
    const shown = await scene.run<{ attempts: object[] }>('show', {
      endpoint: id,
      delivery: deliveries[0]?.id,
    })
    expect(shown.attempts).toMatchObject([
      { n: 1, status: 500, error: 'http_500', response: 'hello' },
      { n: 2, status: 500 },
      { n: 3, status: 200, response: 'hello' },
    ])
  })

  it('after five failures an endpoint is left alone, then asked once by all replicas, then all flows', async () => {
    let isWell = false
    await using scene = await WebhookScene.open((_request, response) =>
      response.writeHead(isWell ? 200 : 500).end(),
    )
    const { id } = await scene.add()
    for (let made = 0; made < 8; made += 1) await scene.event()
    await scene.run('run', { limit: 5 })
    expect(scene.far.seen).toHaveLength(5)
    expect((await scene.show(id)).endpoint.breaker).toMatchObject({ state: 'open', consecutive_failures: 5 })
    scene.test.clock.advance({ seconds: 40 })
    expect(await scene.run('run')).toMatchObject({ claimed: 0, remaining: 0, held: 8 })
    scene.test.clock.advance({ seconds: 40 })
    isWell = true
    const { plane } = scene.test
    const runs = await Promise.all([
      scene.run('run', { limit: 1 }),
      plane.webhookDeliveries.runAll({ limit: 1 }),
    ])
    expect(runs.map(({ claimed }) => claimed).sort()).toEqual([0, 1])
    expect(scene.far.seen).toHaveLength(6)
    expect((await scene.show(id)).endpoint.breaker.state).toBe('closed')
    scene.test.clock.advance({ seconds: 10 })
    await scene.run('run')
    const { deliveries } = await scene.show(id)
    expect(deliveries.every(({ state }) => state === 'delivered')).toBe(true)
    expect(deliveries.map(({ attempt }) => attempt).sort()).toEqual([1, 1, 1, 2, 2, 2, 2, 2])
  })

  it('410 disables an endpoint at once, cancels what waits, opens an alert, and the others are told', async () => {
    await using scene = await WebhookScene.open((request, response) => {
      response.writeHead(request.url === '/gone' ? 410 : 200).end()
    })
    const { id } = await scene.add({ events: ['job.*'] }, '/gone')
    const other = await scene.add({ events: ['webhook.*'] }, '/other')
    for (let made = 0; made < 3; made += 1) await scene.event()
    await scene.run('run', { limit: 1 })
    const { endpoint, deliveries } = await scene.show(id)
    expect(endpoint).toMatchObject({ state: 'disabled', disabled_reason: 'gone', pending: 0 })
    expect(deliveries.map(({ state }) => state).sort()).toEqual(['cancelled', 'cancelled', 'failed'])
    await scene.run('run')
    const told = (await scene.show(other.id)).deliveries
    expect(told).toMatchObject([{ type: 'webhook.endpoint_disabled', state: 'delivered' }])
    const { plane } = scene.test
    expect(await counted(plane, 'svc_webhook_endpoints_disabled_total')).toEqual({ '': 1 })
    expect(await counted(plane, 'svc_webhook_deliveries_total')).toEqual({
      '{outcome="failed"}': 1,
      '{outcome="sent"}': 1,
    })
    await plane.alerts.evaluate()
    await plane.alerts.evaluate()
    const { alerts } = await plane.alerts.list(ofLicense(scene.licenseId), {})
    expect(alerts).toMatchObject([
      { kind: 'webhook_endpoint_disabled', dedupKey: `webhook_endpoint_disabled:${id}` },
    ])
  })

  it('a dead endpoint is disabled after its time; what is told meanwhile is skipped, and a replay sends it', async () => {
    let isWell = false
    await using scene = await WebhookScene.open(
      (request, response) => response.writeHead(isWell || request.url === '/other' ? 200 : 500).end(),
      { env: { WEBHOOK_DISABLE_AFTER_HOURS: '1', WEBHOOK_RETRY_SCHEDULE: '60' } },
    )
    const { id } = await scene.add({ events: ['job.*'] })
    const other = await scene.add({ events: ['webhook.*'] }, '/other')
    const { plane, clock } = scene.test
    clock.advance(1500 - (clock.now().getTime() % 1000))
    for (let step = 0; step < 40; step += 1) {
      if (step === 0 || step === 20) await scene.event()
      await plane.webhookDeliveries.drain()
      clock.advance({ minutes: 2 })
    }
    const dead = (await scene.show(id)).endpoint
    expect(dead).toMatchObject({ state: 'disabled', disabled_reason: 'failing' })
    await scene.event()
    expect((await scene.show(id)).deliveries[0]).toMatchObject({ state: 'skipped', attempt: 0 })
    const before = scene.far.seen.length
    isWell = true
    await scene.run('update', { endpoint: id, enabled: true })
    await plane.webhookDeliveries.drain()
    expect(scene.far.seen.slice(before).map(({ url }) => url)).not.toContain('/hook')
    // Answers give whole seconds, and the event came within one.
    const second = (await scene.show(id)).deliveries[0]?.created_at ?? 0
    expect(clock.now().getTime() % 1000).toBeGreaterThan(0)
    const meant = { endpoint: id, since: second, states: ['skipped'] }
    const until = (last: number) => scene.run('replay', { ...meant, since: 0, until: last, dry_run: true })
    expect(await until(second - 1)).toEqual({ queued: 0 })
    expect(await until(second)).toEqual({ queued: 1 })
    expect(await scene.run('replay', meant)).toEqual({ queued: 1 })
    await plane.webhookDeliveries.drain()
    expect((await scene.show(id)).deliveries[0]).toMatchObject({ state: 'delivered', attempt: 1 })
    const told = (await scene.show(other.id)).deliveries
    expect(told).toMatchObject([{ type: 'webhook.endpoint_disabled', state: 'delivered' }])
  })

  it('a test is sent while the breaker is open and the endpoint disabled, once, and changes neither', async () => {
    await using scene = await WebhookScene.open(answering([500, 500, 500, 500, 500, 500]))
    const { id } = await scene.add()
    for (let made = 0; made < 5; made += 1) await scene.event()
    await scene.run('run', { limit: 5 })
    await scene.run('update', { endpoint: id, enabled: false })
    await scene.run('test', { endpoint: id })
    expect(await scene.run('run')).toMatchObject({ claimed: 1, failed: 1 })
    expect(JSON.parse(scene.far.seen[5]?.body ?? '')).toMatchObject({
      type: 'webhook.ping',
      data: { endpoint_id: id },
    })
    const { endpoint } = await scene.show(id)
    expect(endpoint).toMatchObject({
      disabled_reason: 'manual',
      breaker: { state: 'open', consecutive_failures: 5 },
    })
  })

  it('another license finds nothing, and its run sends nothing', async () => {
    await using scene = await WebhookScene.open()
    const { id } = await scene.add()
    await scene.event()
    const stranger = (await scene.test.plane.licenses.issue({ tenantId: undefined, label: 'b' })).license.id
    for (const [name, input] of Object.entries({
      show: {},
      update: { enabled: false },
      remove: {},
      rotate: {},
      test: {},
      replay: { since: 0 },
      'reset-breaker': {},
    })) {
      const asked = scene.run(name, { endpoint: id, ...input }, stranger)
      await expect(asked).rejects.toMatchObject({ code: 'not-found' })
    }
    await expect(scene.run('run', { endpoint_id: id }, stranger)).rejects.toMatchObject({ code: 'not-found' })
    expect(await scene.run('run', {}, stranger)).toMatchObject({ claimed: 0 })
    expect(scene.far.seen).toEqual([])
    expect((await scene.run<{ endpoints: object[] }>('list', {}, stranger)).endpoints).toEqual([])
  })

  it('no row and no line of the log has a secret', async () => {
    await using scene = await WebhookScene.open(answering([500]))
    const { id, secret } = await scene.add()
    const { secret: next } = await scene.run<{ secret: string }>('rotate', { endpoint: id })
    await scene.event()
    await scene.run('run')
    const { webhooks, audit } = scene.test.storage
    const rows = [await webhooks.list(PLATFORM, { limit: 9 }), await audit.list(99)]
    for (const text of [JSON.stringify(rows), scene.test.log.text()])
      for (const each of [secret, next]) expect(text).not.toContain(each.slice('whsec_'.length))
  })

  it('a message whose secret cannot be opened waits unsigned, and the endpoint says so', async () => {
    await using scene = await WebhookScene.open()
    const { id } = await scene.add()
    await scene.event()
    const { webhooks } = scene.test.storage
    const from = (await webhooks.get(PLATFORM, id))?.endpoint.secret ?? ''
    const lost = 'v1:lost:AAAAAAAAAAAAAAAA:AAAA:AAAAAAAAAAAAAAAAAAAAAA'
    await webhooks.rotate({ id, from, secret: lost, oldSecret: lost, graceSeconds: 0 })
    await scene.run('run')
    expect(scene.far.seen).toEqual([])
    const { endpoint, deliveries } = await scene.show(id)
    expect(endpoint).toMatchObject({ last_error: 'secret_unavailable', breaker: { state: 'closed' } })
    expect(deliveries).toMatchObject([{ state: 'pending', attempt: 0, last_error: 'secret_unavailable' }])
  })

  it.each([
    ['a day', '86400', 3600],
    ['a minute', '60', 60],
    ['less than the schedule', '1', 60],
    ['an age', '999999999999', 3600],
    ['a negative time', '-1', 60],
    ['garbage', 'soon', 60],
  ])('a tired receiver that asks for %s gets a retry within bounds', async (_, retryAfter, seconds) => {
    await using scene = await WebhookScene.open(answering([503], { 'retry-after': retryAfter }))
    const { id } = await scene.add()
    await scene.event()
    await scene.run('run')
    const [{ id: delivery } = { id: '' }] = (await scene.show(id)).deliveries
    const found = await scene.test.storage.webhooks.delivery(id, delivery)
    const waitMs = (found?.delivery.dueAt.getTime() ?? 0) - scene.test.clock.now().getTime()
    expect(Math.round(waitMs / 1000)).toBe(seconds)
  })

  it('a redirect to another listener is not followed', async () => {
    await using target = await farSide()
    const location = `http://other.example:${target.port}/`
    await using scene = await WebhookScene.open(answering([302], { location }))
    const { id } = await scene.add()
    await scene.event()
    await scene.run('run')
    expect(target.connections()).toBe(0)
    expect((await scene.show(id)).deliveries).toMatchObject([{ last_error: 'redirect' }])
  })

  it('a name that leads to this machine is not called, and the attempt says so', async () => {
    await using scene = await WebhookScene.open(undefined, { allow: [] })
    const { id } = await scene.add()
    await scene.event()
    await scene.run('run')
    expect(scene.far.connections()).toBe(0)
    expect((await scene.show(id)).deliveries).toMatchObject([
      { state: 'pending', last_error: 'blocked_address' },
    ])
  })
})
