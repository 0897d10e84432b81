import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { CliBench } from '../support/cli-bench.ts'

describe('alerts', () => {
  let bench: CliBench

  beforeEach(async () => {
    bench = await CliBench.open()
  })
  afterEach(async () => {
    await bench[Symbol.asyncDispose]()
  })

  async function tick(): Promise<void> {
    bench.clock.advance({ minutes: 2 })
    await bench.plane.scheduler.tick()
  }
  /** A host that fell silent, and the id of its alert. */
  async function offline(hostname: string): Promise<string> {
    await bench.host(`fp-${hostname}`, hostname)
    await tick()
    await tick()
    await tick()
    const { alerts } = await bench.json('alerts', 'list', '--host', hostname)
    return (alerts as { id: string }[])[0]?.id ?? ''
  }

  test('alerts list and fleet alerts print the same alerts, and narrow them', async () => {
    const id = await offline('web-1')
    const listed = await bench.json('alerts', 'list')
    expect(listed).toMatchObject({ alerts: [{ id, kind: 'host_offline', status: 'firing' }] })
    expect(await bench.json('fleet', 'alerts')).toEqual(listed)
    expect(await bench.json('fleet', 'alerts', '--license', bench.license.key)).toEqual(listed)
    for (const narrow of [
      ['--status', 'resolved'],
      ['--kind', 'disk_high'],
      ['--host', 'web-2'],
      ['--since', '2031-01-01'],
    ]) {
      expect(await bench.json('alerts', 'list', ...narrow)).toEqual({ alerts: [] })
    }
    const { out } = await bench.run('alerts', 'list')
    expect(out.text).toMatch(/alr_\w+ +firing +critical +.*web-1 has not reported for/)
  })

  test('ack, snooze and resolve act under the name of who typed, and unack and unsnooze take back', async () => {
    const id = await offline('web-1')
    expect(await bench.json('alerts', 'ack', id, '--note', 'on it')).toMatchObject({
      ok: true,
      alert: { status: 'acknowledged', acknowledged_by: 'cli:ann@desk' },
    })
    const now = bench.clock.now().getTime() / 1000
    expect(await bench.json('alerts', 'snooze', 'host_offline:fp-web-1', '--for', '2h')).toMatchObject({
      alert: { status: 'snoozed', snoozed_until: now + 7200 },
    })
    expect(await bench.json('alerts', 'unsnooze', id)).toMatchObject({ alert: { status: 'acknowledged' } })
    expect(await bench.json('alerts', 'unack', id)).toMatchObject({ alert: { status: 'firing' } })
    expect(await bench.json('alerts', 'resolve', id)).toMatchObject({ alert: { status: 'resolved' } })
    const { actions, deliveries } = await bench.json('alerts', 'show', id)
    expect(actions).toMatchObject([
      { action: 'ack', actor: 'cli:ann@desk', note: 'on it' },
      { action: 'snooze' },
      { action: 'unsnooze' },
      { action: 'unack' },
      { action: 'resolve' },
    ])
    expect(deliveries).toMatchObject([
      { transition: 'firing', channel: 'log', state: 'sent' },
      { state: 'due' },
    ])
    expect((await bench.run('alerts', 'show', id)).out.text).toContain('on it')
  })

  test('several ids are acted on at once', async () => {
    const ids = [await offline('web-1'), await offline('web-2')]
    expect(await bench.json('alerts', 'ack', ...ids)).toMatchObject({ alerts: ids.map((id) => ({ id })) })
  })

  test.each([
    [['alerts', 'ack', 'alr_unknown'], 5],
    [['alerts', 'show', 'alr_unknown'], 5],
    [['alerts', 'ack', 'alr_a', 'a key'], 2],
    [['alerts', 'snooze', 'alr_a', '--for', 'soon'], 2],
    [['alerts', 'snooze', 'alr_a', '--until', 'soon'], 2],
    [['alerts', 'list', '--status', 'open'], 2],
    [['alerts', 'list', '--limit', 'many'], 2],
    [['alerts', 'webhook-test'], 5],
    [['alerts', 'webhook-remove'], 5],
    [['alerts', 'webhook-set', 'http://hooks.example/'], 2],
  ])('%j ends with code %i', async (args, code) => {
    expect((await bench.run(...args)).exitCode).toBe(code)
  })

  test('a webhook is set for a tenant, its secret shown once, rotated on demand, and removed', async () => {
    await bench.json('tenants', 'add', 'acme')
    const set = ['alerts', 'webhook-set', 'https://hooks.example/path', '--tenant', 'acme']
    const { secret, webhook } = await bench.json(...set)
    expect(secret).toMatch(/^whsec_/)
    expect(webhook).toMatchObject({ origin: 'https://hooks.example' })
    expect(await bench.json(...set)).not.toHaveProperty('secret')
    const rotated = await bench.json(...set, '--rotate')
    expect(rotated.secret).toMatch(/^whsec_/)
    expect(rotated.secret).not.toBe(secret)
    expect((await bench.json('alerts', 'webhooks')).webhooks).toHaveLength(1)
    expect((await bench.run('alerts', 'webhooks')).out.text).toContain('https://hooks.example')
    await bench.json('alerts', 'webhook-remove', '--tenant', 'acme')
    expect(await bench.json('alerts', 'webhooks')).toEqual({ webhooks: [] })
  })
})
