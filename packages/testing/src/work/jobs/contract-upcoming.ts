import type { WaitedQueue } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { expect, it } from '../../runner.ts'
import { HOST, OTHER, type Scene } from './jobs-scene.ts'

const SECONDS = 15

/** Tests of the look at queues that hosts wait at. */
export function upcomingContract(scene: Scene): void {
  const queue = (fields: Partial<WaitedQueue> = {}): WaitedQueue => ({
    ...{ licenseId: scene().licenseId, target: '', kinds: undefined, most: 10 },
    ...fields,
  })
  const look = (...queues: readonly WaitedQueue[]) => scene().jobs.upcoming(queues, SECONDS, scene().now)
  const shown = (kind: string, inMs = 0, target = '') => ({
    licenseId: scene().licenseId,
    target,
    kind,
    inMs,
  })

  it('names the jobs of a queue in the order of their claims, as many as are asked for', async () => {
    await scene().enqueue({ kind: 'db' })
    scene().clock.advance({ seconds: 1 })
    await scene().enqueue({ kind: 'prune' })
    await scene().enqueue({ kind: 'deploy', urgent: true })
    expect(await look(queue())).toEqual([shown('deploy'), shown('db'), shown('prune')])
    expect(await look(queue({ most: 2 }))).toEqual([shown('deploy'), shown('db')])
  })

  it('names jobs that are due within the time, and in how many milliseconds', async () => {
    await scene().enqueue({ kind: 'db', runAt: scene().in(SECONDS) })
    await scene().enqueue({ kind: 'stop', runAt: scene().in(SECONDS + 1) })
    expect(await look(queue())).toEqual([shown('db', 1000 * SECONDS)])
  })

  it('names the jobs of a host, of its license and of a kind alone', async () => {
    await scene().enqueue({ kind: 'db', target: HOST })
    await scene().enqueue({ kind: 'stop', target: OTHER })
    await scene().enqueue({ kind: 'prune' })
    expect(await look(queue({ target: HOST }))).toEqual([shown('db', 0, HOST)])
    expect(await look(queue({ kinds: ['stop', 'prune'] }))).toEqual([shown('prune')])
    expect(await look(queue({ kinds: [] }), queue({ licenseId: buildId('lic') }))).toEqual([])
    const both = await look(queue({ kinds: ['prune'] }), queue({ target: OTHER }))
    expect(both).toEqual(expect.arrayContaining([shown('prune'), shown('stop', 0, OTHER)]))
    expect(both).toHaveLength(2)
  })

  it('names a held job when its lease is about to pass, and no job that waits or has ended', async () => {
    const held = await scene().held({ serialKey: 'app' })
    await scene().enqueue({ serialKey: 'app' })
    expect(await look(queue())).toEqual([])
    scene().clock.advance({ seconds: 290 })
    expect(await look(queue())).toEqual([shown(held.kind, 10_000)])
    scene().clock.advance({ seconds: 20 })
    expect(await look(queue())).toEqual([shown(held.kind)])
    await scene().report(held, 'failed')
    await scene().claim()
    expect(await look(queue())).toEqual([])
  })

  it('looks at no queue when none is named', async () => {
    await scene().enqueue()
    expect(await look()).toEqual([])
  })
}
