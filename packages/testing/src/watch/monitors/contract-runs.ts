import { HISTORY_ENTRIES } from '@svc/core/ports'
import { expect, it } from '../../runner.ts'
import { fine, LEASE_SECONDS, type MonitorsScene, silent } from './monitors-scene.ts'

/** Tests of runs: the monitors that they take, and the results that they store. */
export function monitorRuns(scene: MonitorsScene): void {
  it('takes what is due, the longest due first, and nothing else', async () => {
    await scene.clear()
    const first = await scene.added()
    scene.clock.advance({ seconds: 1 })
    const second = await scene.added()
    expect((await scene.take(1)).taken.map(({ id }) => id)).toEqual([first.id])
    expect((await scene.take(10)).taken.map(({ id }) => id)).toEqual([second.id])
    expect((await scene.take(10)).taken).toEqual([])
  })

  it('a monitor is due from its instant on, and not a millisecond earlier', async () => {
    await scene.clear()
    const { id } = await scene.added()
    await scene.finish(id)
    scene.clock.advance({ seconds: 300, ms: -1 })
    expect((await scene.take()).taken).toEqual([])
    scene.clock.advance({ ms: 1 })
    expect((await scene.take()).taken.map((monitor) => monitor.id)).toEqual([id])
  })

  it('missed intervals collapse: after a long silence there is one run', async () => {
    await scene.clear()
    const { id } = await scene.added()
    scene.clock.advance({ days: 3 })
    await scene.finish(id)
    expect((await scene.take()).taken).toEqual([])
  })

  it('a lease that ran out can be taken by somebody else, and its first holder writes nothing', async () => {
    const { id } = await scene.added()
    const first = await scene.takeOne(id)
    expect((await scene.takeOne(id)).monitor).toBeUndefined()
    scene.clock.advance({ seconds: LEASE_SECONDS })
    const second = await scene.takeOne(id)
    expect(second.monitor?.id).toBe(id)
    expect(first.monitor && (await scene.settle(first.monitor, first.token))).toBeUndefined()
    expect((await scene.find(id))?.lastRunAt).toBeUndefined()
    expect(second.monitor && (await scene.settle(second.monitor, second.token))?.lastRunAt).toEqual(
      scene.clock.now(),
    )
  })

  it('a run is settled once', async () => {
    const { id } = await scene.added()
    const { token, monitor } = await scene.takeOne(id)
    if (monitor === undefined) throw new Error('not taken')
    expect(await scene.settle(monitor, token)).toBeDefined()
    expect(await scene.settle(monitor, token)).toBeUndefined()
    expect(await scene.monitors.history(id, 10)).toMatchObject([{ runs: 1 }])
  })

  it('what is given back stays due, and what was settled does not come back with it', async () => {
    await scene.clear()
    const kept = await scene.added()
    const done = await scene.added()
    const { token, taken } = await scene.take()
    const settled = taken.find(({ id }) => id === done.id)
    if (settled !== undefined) await scene.settle(settled, token)
    await scene.monitors.release(token)
    expect((await scene.take()).taken.map(({ id }) => id)).toEqual([kept.id])
  })

  it('a run writes its findings and their first instants', async () => {
    const { id } = await scene.added()
    const pending = { answer: ['192.0.2.9'], fits: false, seen: 2 }
    const drift = { drifted: true, pending, confirmed: ['192.0.2.7'], unreachable: true, errorStreak: 3 }
    const at = scene.clock.now()
    expect(await scene.finish(id, (monitor) => fine(monitor, drift))).toMatchObject({
      confirmed: ['192.0.2.7'],
      pending,
      driftedAt: at,
      unreachableAt: at,
      errorStreak: 3,
      lastAnswerAt: at,
    })
    scene.clock.advance({ seconds: 5 })
    const again = await scene.finish(id, (monitor) => fine(monitor, drift))
    expect(again).toMatchObject({ driftedAt: at, unreachableAt: at, lastRunAt: scene.clock.now() })
    const healed = await scene.finish(id)
    expect(healed).toMatchObject({ driftedAt: undefined, unreachableAt: undefined, pending: undefined })
    expect(await scene.find(id)).toEqual(healed)
  })

  it('a run without an answer keeps the instant of the last one', async () => {
    const { id } = await scene.added()
    const at = scene.clock.now()
    await scene.finish(id)
    scene.clock.advance({ seconds: 5 })
    const failed = await scene.finish(id, silent)
    expect(failed).toMatchObject({ error: 'timeout', lastAnswerAt: at, lastRunAt: scene.clock.now() })
  })

  it('runs that end alike are one stretch of the history, newest first', async () => {
    const { id } = await scene.added()
    const first = scene.clock.now()
    await scene.finish(id)
    const second = scene.clock.advance({ seconds: 1 })
    await scene.finish(id)
    const third = scene.clock.advance({ seconds: 1 })
    await scene.finish(id, silent)
    expect(await scene.monitors.history(id, 10)).toEqual([
      { outcome: 'error', answer: undefined, error: 'timeout', runs: 1, firstAt: third, lastAt: third },
      { outcome: 'ok', answer: ['192.0.2.1'], error: undefined, runs: 2, firstAt: first, lastAt: second },
    ])
    expect(await scene.monitors.history(id, 1)).toHaveLength(1)
  })

  it('the history keeps a bounded number of stretches', async () => {
    const { id } = await scene.added()
    for (let run = 0; run < HISTORY_ENTRIES / 2 + 2; run += 1) {
      await scene.finish(id, silent)
      await scene.finish(id)
    }
    expect(await scene.monitors.history(id, 2 * HISTORY_ENTRIES)).toHaveLength(HISTORY_ENTRIES)
  })

  it('many who take at once get each monitor once', async () => {
    await scene.clear()
    const ids = new Set<string>()
    for (let made = 0; made < 30; made += 1) ids.add((await scene.added()).id)
    const taken = (await Promise.all(Array.from({ length: 6 }, () => scene.take(10)))).flatMap(
      (each) => each.taken,
    )
    expect(new Set(taken.map(({ id }) => id)).size).toBe(taken.length)
    const rest = (await scene.take()).taken
    expect(new Set([...taken, ...rest].map(({ id }) => id))).toEqual(ids)
  })
}
