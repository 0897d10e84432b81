import { PLATFORM } from '@svc/core'
import { buildId } from '../../build-id.ts'
import { buildTenant } from '../../people/tenants/build-tenant.ts'
import { expect, it } from '../../runner.ts'
import { buildMonitor } from './build-monitor.ts'
import { fine, type MonitorsScene } from './monitors-scene.ts'

/** Tests of the definitions of monitors and of their owners. */
export function monitorDefinitions(scene: MonitorsScene): void {
  it('a monitor is found by id and by name, as it was added and due at once', async () => {
    const made = buildMonitor({
      match: 'subset',
      expected: ['192.0.2.0/24', '192.0.2.9'],
      resolvers: ['192.0.2.53:54'],
    })
    const monitor = await scene.monitors.add(made, scene.clock.now())
    expect(monitor).toMatchObject({ ...made, revision: 1, errorStreak: 0 })
    expect(monitor).toMatchObject({ createdAt: scene.clock.now(), nextRunAt: scene.clock.now() })
    expect(await scene.monitors.find(PLATFORM, made.id)).toEqual([monitor])
    expect(await scene.monitors.find(PLATFORM, made.name)).toEqual([monitor])
    expect(await scene.monitors.find(PLATFORM, 'nobody')).toEqual([])
  })

  it('a baseline has no expectation until it gets one', async () => {
    expect((await scene.added({ mode: 'baseline', expected: undefined })).expected).toBeUndefined()
  })

  it('a name is unique per owner: platform, tenant and license each may have it once', async () => {
    const tenant = await scene.storage.tenants.add(buildTenant())
    const tenantId = tenant?.id
    const licenseId = buildId('lic')
    const name = `shared ${buildId('n')}`
    for (const owner of [{}, { tenantId }, { licenseId }]) {
      expect(await scene.monitors.add(buildMonitor({ name, ...owner }))).toBeDefined()
      expect(await scene.monitors.add(buildMonitor({ name, ...owner }))).toBeUndefined()
    }
    expect(await scene.monitors.find(PLATFORM, name)).toHaveLength(3)
    expect((await scene.monitors.list(PLATFORM, { licenseId })).map((monitor) => monitor.name)).toEqual([
      name,
    ])
    expect(
      (await scene.monitors.list(PLATFORM, { tenantId: tenantId ?? '' })).map((monitor) => monitor.name),
    ).toEqual([name])
  })

  it('lists by name, in the order of bytes', async () => {
    const licenseId = buildId('lic')
    for (const name of ['beta', 'Alpha', 'alpha', 'Ölmühle', 'alpha 2'])
      await scene.added({ name, licenseId })
    const names = (await scene.monitors.list(PLATFORM, { licenseId })).map((monitor) => monitor.name)
    expect(names).toEqual(['Alpha', 'alpha', 'alpha 2', 'beta', 'Ölmühle'])
  })

  it('a new definition is due at once, keeps findings unless it starts over, and voids the run under way', async () => {
    const { id, revision } = await scene.added()
    await scene.finish(id, (monitor) => fine(monitor, { drifted: true, error: undefined }))
    const { token, monitor } = await scene.takeOne(id)
    if (monitor === undefined) throw new Error('not taken')
    const definition = { ...monitor, host: 'other.example.com', intervalSeconds: 60 }
    const change = { id, revision, definition, startsOver: false }
    const kept = await scene.monitors.redefine(change, scene.clock.now())
    expect(kept).toMatchObject({ host: 'other.example.com', intervalSeconds: 60, revision: revision + 1 })
    expect(kept).toMatchObject({ nextRunAt: scene.clock.now(), confirmed: ['192.0.2.1'] })
    expect(kept?.driftedAt).toBeDefined()
    expect(await scene.settle(monitor, token)).toBeUndefined()
    const over = await scene.monitors.redefine(
      { ...change, revision: revision + 1, startsOver: true },
      scene.clock.now(),
    )
    expect(over).toMatchObject({ confirmed: undefined, driftedAt: undefined, lastAnswerAt: undefined })
  })

  it('a definition is changed only by who knew the last one', async () => {
    const monitor = await scene.added()
    const change = { id: monitor.id, revision: monitor.revision, definition: monitor, startsOver: false }
    expect(await scene.monitors.redefine(change)).toBeDefined()
    expect(await scene.monitors.redefine(change)).toBeUndefined()
  })

  it('a paused monitor is not asked, keeps its first instant of it, and goes on at once', async () => {
    const { id } = await scene.added()
    await scene.finish(id)
    const at = scene.clock.now()
    expect((await scene.monitors.setPaused(id, true, at))?.pausedAt).toEqual(at)
    scene.clock.advance({ hours: 1 })
    expect((await scene.monitors.setPaused(id, true, scene.clock.now()))?.pausedAt).toEqual(at)
    expect((await scene.take()).taken.map((monitor) => monitor.id)).not.toContain(id)
    expect((await scene.takeOne(id)).monitor).toBeUndefined()
    const resumed = await scene.monitors.setPaused(id, false, scene.clock.now())
    expect(resumed).toMatchObject({ pausedAt: undefined, nextRunAt: scene.clock.now() })
    expect(await scene.monitors.setPaused('mon_none', true)).toBeUndefined()
  })

  it('going on that was not paused changes nothing of the schedule', async () => {
    const { id } = await scene.added()
    const after = await scene.finish(id)
    scene.clock.advance({ seconds: 1 })
    expect((await scene.monitors.setPaused(id, false, scene.clock.now()))?.nextRunAt).toEqual(
      after?.nextRunAt,
    )
  })

  it('accepting makes the answer that counts the expectation of a baseline, and of nothing else', async () => {
    const { id } = await scene.added({ mode: 'baseline', expected: undefined })
    expect(await scene.monitors.accept(id)).toBeUndefined()
    await scene.finish(id, (monitor) => fine(monitor, { drifted: true, confirmed: ['192.0.2.8'] }))
    const accepted = await scene.monitors.accept(id, scene.clock.now())
    expect(accepted).toMatchObject({
      expected: ['192.0.2.8'],
      driftedAt: undefined,
      nextRunAt: scene.clock.now(),
    })
    const other = await scene.added()
    await scene.finish(other.id)
    expect(await scene.monitors.accept(other.id)).toBeUndefined()
  })

  it('a monitor that is removed is gone with its history', async () => {
    const { id } = await scene.added()
    await scene.finish(id)
    expect(await scene.monitors.remove(id)).toBe(true)
    expect(await scene.monitors.remove(id)).toBe(false)
    expect(await scene.monitors.find(PLATFORM, id)).toEqual([])
    expect(await scene.monitors.history(id, 10)).toEqual([])
  })

  it('counts each monitor in one state', async () => {
    const before = await scene.monitors.counts()
    const drift = { drifted: true }
    await scene.added()
    await scene.finish((await scene.added()).id)
    await scene.finish((await scene.added()).id, (monitor) => fine(monitor, drift))
    await scene.finish((await scene.added()).id, (monitor) => fine(monitor, { ...drift, unreachable: true }))
    await scene.monitors.setPaused((await scene.added()).id, true)
    const after = Object.entries(await scene.monitors.counts()).map(([state, count]) => [
      state,
      count - before[state as keyof typeof before],
    ])
    expect(Object.fromEntries(after)).toEqual({ pending: 1, ok: 1, drifted: 1, unreachable: 1, paused: 1 })
  })

  it('without an instant the database’s clock counts', async () => {
    const { now } = await scene.storage.health()
    const monitor = await scene.monitors.add(buildMonitor())
    expect(Math.abs((monitor?.nextRunAt.getTime() ?? 0) - now.getTime())).toBeLessThan(60_000)
  })
}
