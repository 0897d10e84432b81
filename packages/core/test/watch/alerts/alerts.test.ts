import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { ofLicense, PLATFORM } from '@svc/core'
import { ALERT_KINDS } from '@svc/core/ports'
import { FleetScene } from './fleet-scene.ts'

describe('alerts of a fleet', () => {
  let scene: FleetScene

  beforeEach(async () => {
    scene = await FleetScene.open()
  })
  afterEach(async () => {
    await scene[Symbol.asyncDispose]()
  })

  /** Opens an alert about a full disk; returns its id. */
  async function opened(): Promise<string> {
    await scene.beat({ diskPct: 95 })
    await scene.tick()
    await scene.tick()
    const { alerts } = await scene.test.plane.alerts.list(PLATFORM, { kind: 'disk_high' })
    return alerts[0]?.id ?? ''
  }
  const act = (input: object, scope = PLATFORM) =>
    scene.test.plane.alerts.act(scope, { actor: 'ann', action: 'ack', ...input })

  it('a drained host raises neither host_offline nor host_stopped, and does when it is back in service', async () => {
    await scene.beat({ state: 'stopped', fingerprint: 'stopped' })
    await scene.beat({ fingerprint: 'gone' })
    const { plane } = scene.test
    const hosts = await plane.agents.list(PLATFORM)
    for (const host of hosts) await plane.agents.change(host, { drained: true })
    for (let minute = 0; minute < 6; minute += 1) await scene.tick()
    expect(await scene.open()).toEqual([])
    for (const host of hosts) await plane.agents.change(host, { drained: false })
    await scene.tick()
    await scene.tick()
    expect((await scene.open()).sort()).toEqual(['host_offline', 'host_stopped'])
  })

  it('a host that fell silent keeps the alerts of its last figures, and opens none by them', async () => {
    await opened()
    await scene.beat({ memPct: 99 })
    for (let minute = 0; minute < 5; minute += 1) await scene.tick()
    expect((await scene.open()).sort()).toEqual(['disk_high', 'host_offline', 'mem_high'])
    await scene.beat({ fingerprint: 'late', memPct: 99 })
    scene.test.clock.advance({ minutes: 3 })
    await scene.tick()
    await scene.tick()
    expect((await scene.open()).sort()).toEqual(['disk_high', 'host_offline', 'host_offline', 'mem_high'])
  })

  it('the tick of the scheduler opens and announces; what is no drift is counted by the metric alone', async () => {
    await scene.beat({ diskPct: 95 })
    const { plane, clock } = scene.test
    const counted = async () => {
      const text = await plane.metrics.exposition()
      return text
        .match(/^svc_alerts_opened_total\{kind="\w+"\} \d+$/gm)
        ?.map((line) => line.split('"')[1] + line.slice(-2))
    }
    const none = ALERT_KINDS.map((kind) => `${kind} 0`)
    expect(await counted()).toEqual(none)
    expect(await plane.scheduler.tick()).toMatchObject({ alerted: 0 })
    clock.advance({ minutes: 1 })
    expect(await plane.scheduler.tick()).toMatchObject({ alerted: 0 })
    expect(scene.told()).toEqual(['firing disk_high'])
    expect(await counted()).toEqual(none.map((line) => line.replace(/disk_high 0/, 'disk_high 1')))
  })

  it('ticks that follow each other within 20 seconds count as one, whoever calls for them', async () => {
    const { plane, clock } = scene.test
    await scene.beat({ diskPct: 95 })
    await plane.alerts.evaluate()
    for (let second = 0; second < 19; second += 1) {
      clock.advance({ seconds: 1 })
      expect(await plane.alerts.evaluate()).toMatchObject({ opened: 0 })
    }
    clock.advance(999)
    expect(await plane.alerts.evaluate()).toMatchObject({ opened: 0 })
    clock.advance(1)
    expect(await plane.alerts.evaluate()).toMatchObject({ opened: 1 })
  })

  it('several alerts of one tick are one line of the log', async () => {
    await scene.beat({ diskPct: 95, memPct: 99, drillPass: false })
    await scene.tick()
    await scene.tick()
    const lines = scene.test.log.lines.filter(({ message }) => message === 'alerts')
    expect(lines).toMatchObject([{ fields: { total: 3 } }])
  })

  it('an acknowledgement ends after 24 hours, and a snooze at its time', async () => {
    const id = await opened()
    const { plane, clock } = scene.test
    await act({ id })
    await act({ id, action: 'snooze', forSeconds: 3600 })
    const status = async () => (await plane.operations.run('alerts.show', { id }, 'ann')).alert
    expect(await status()).toMatchObject({ status: 'snoozed', acknowledged_by: 'ann' })
    clock.advance({ hours: 1 })
    expect(await status()).toMatchObject({ status: 'acknowledged' })
    clock.advance({ hours: 23 })
    expect(await status()).not.toHaveProperty('acknowledged_by')
    expect(await status()).toMatchObject({ status: 'firing' })
  })

  it('actions are idempotent: repeating one changes nothing and leaves one line', async () => {
    const id = await opened()
    const until = new Date(scene.test.clock.now().getTime() + 3_600_000)
    for (const [action, extra] of [
      ['ack', {}],
      ['snooze', { until }],
      ['unsnooze', {}],
      ['unack', {}],
      ['resolve', {}],
    ] as const) {
      const first = await act({ id, action, ...extra })
      expect(await act({ id, action, ...extra })).toEqual(first)
    }
    const { actions } = await scene.test.plane.alerts.story(id)
    expect(actions.map(({ action }) => action)).toEqual(['ack', 'snooze', 'unsnooze', 'unack', 'resolve'])
  })

  it('a note leaves a line where something changes or it is a new one, its secrets taken out', async () => {
    const id = await opened()
    const notes = async () =>
      (await scene.test.plane.alerts.story(id)).actions.map(({ action, note }) => [action, note])
    await act({ id, note: 'disk ordered' })
    await act({ id, note: 'disk ordered' })
    await act({ id })
    expect(await notes()).toEqual([['ack', 'disk ordered']])
    await act({ id, note: 'disk came' })
    await act({ id, note: 'disk came' })
    await act({ id, note: 'disk ordered' })
    await act({ ids: [id], action: 'unack', note: 'disk ordered' })
    await act({ ids: [id], action: 'unack', note: 'token=hunter2-hunter2-hunter2' })
    await act({ ids: [id], action: 'unack', note: 'token=hunter2-hunter2-hunter2' })
    expect(await notes()).toEqual([
      ['ack', 'disk ordered'],
      ['ack', 'disk came'],
      ['ack', 'disk ordered'],
      ['unack', 'disk ordered'],
      ['unack', expect.not.stringContaining('hunter2')],
    ])
  })

  it('what a person resolves is announced, and opens again in its row when it still holds', async () => {
    const id = await opened()
    await act({ id, action: 'resolve', note: 'cleaning up' })
    await scene.beat({ diskPct: 95 })
    await scene.tick()
    await scene.beat({ diskPct: 95 })
    await scene.tick()
    expect(scene.told()).toEqual(['firing disk_high', 'resolved disk_high', 'firing disk_high'])
    expect(await scene.test.plane.alerts.get(PLATFORM, id)).toMatchObject({ count: 2, resolvedAt: undefined })
  })

  it('a snooze holds for the next alert of its key', async () => {
    const id = await opened()
    await act({ id, action: 'snooze', forSeconds: 7200 })
    await scene.beat({ diskPct: 10 })
    await scene.tick()
    for (let minute = 0; minute < 15; minute += 1) await scene.tick()
    await scene.beat({ diskPct: 95 })
    await scene.tick()
    await scene.tick()
    const { alerts } = await scene.test.plane.alerts.list(PLATFORM, { kind: 'disk_high', status: 'snoozed' })
    expect(alerts).toHaveLength(1)
    expect(alerts[0]?.id).not.toBe(id)
    expect(scene.told().filter((told) => told === 'firing disk_high')).toHaveLength(1)
  })

  it.each([
    [{}, 'invalid-input'],
    [{ id: 'alr_unknown' }, 'not-found'],
    [{ dedupKey: 'unknown' }, 'not-found'],
    [{ ids: [] }, 'invalid-input'],
    [{ id: 'a', ids: ['b'] }, 'invalid-input'],
    [{ ids: Array.from({ length: 101 }, (_, at) => `alr_${at}`) }, 'invalid-input'],
    [{ id: 'a', action: 'snooze', forSeconds: 31 * 86_400 }, 'invalid-input'],
    [{ id: 'a', action: 'snooze', until: new Date(0) }, 'invalid-input'],
    [{ id: 'a', action: 'snooze', until: new Date(8e15), forSeconds: 1 }, 'invalid-input'],
  ])('refuses %j with %s', async (input, code) => {
    await expect(act(input)).rejects.toMatchObject({ code })
  })

  it('one unknown id among others changes none of them', async () => {
    const id = await opened()
    await expect(act({ ids: [id, 'alr_unknown'] })).rejects.toMatchObject({ code: 'not-found' })
    expect(await scene.test.plane.alerts.get(PLATFORM, id)).toMatchObject({ acknowledgedAt: undefined })
  })

  it('a key that alerts of several licenses have is ambiguous for operators, not for a license', async () => {
    await opened()
    const { plane } = scene.test
    const other = await scene.test.license('other')
    await scene.beat({ licenseId: other.id, diskPct: 95 })
    await scene.beat({ diskPct: 95 })
    await scene.tick()
    await scene.tick()
    await expect(act({ dedupKey: 'disk_high:fp' })).rejects.toMatchObject({ code: 'ambiguous' })
    expect(await act({ dedupKey: 'disk_high:fp' }, ofLicense(other.id))).toMatchObject([
      { licenseId: other.id },
    ])
    const mine = await plane.alerts.list(ofLicense(scene.licenseId), {})
    expect(mine.alerts.every(({ licenseId }) => licenseId === scene.licenseId)).toBe(true)
  })

  it('the gauge counts by status and severity, every pair from the start', async () => {
    const id = await opened()
    await act({ id })
    const text = await scene.test.plane.metrics.exposition()
    expect(text).toContain('svc_alerts{status="acknowledged",severity="warning"} 1')
    expect(text).toContain('svc_alerts{status="snoozed",severity="info"} 0')
  })

  it('resolved alerts are purged after their time', async () => {
    const id = await opened()
    await act({ id, action: 'resolve' })
    scene.test.clock.advance({ days: 91 })
    expect(await scene.test.plane.alerts.purge()).toBe(1)
    expect(await scene.test.plane.alerts.get(PLATFORM, id)).toBeUndefined()
  })
})
