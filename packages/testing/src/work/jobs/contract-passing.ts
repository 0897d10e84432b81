import type { Job, JobKind } from '@svc/core'
import type { NewJob } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { expect, it } from '../../runner.ts'
import { buildHeartbeat } from '../agents/build-heartbeat.ts'
import { HOST, OTHER, type Scene } from './jobs-scene.ts'

const KEY = { serialKey: 'app:shop' }

/** Tests of the serial keys of jobs whose kind no host runs. */
export function passingContract(scene: Scene): void {
  /** A host that is online and has declared its kinds. */
  async function host(fingerprint: string, kinds: readonly JobKind[] | undefined): Promise<void> {
    const { licenseId, now, storage } = scene()
    await storage.agents.heartbeat(buildHeartbeat({ licenseId, fingerprint }), now)
    await storage.agents.noteWork(licenseId, fingerprint, { kinds, concurrency: undefined })
  }
  const enqueue = (kind: JobKind, fields: Partial<NewJob> = {}) =>
    scene().enqueue({ ...KEY, kind, ...fields })
  const claim = async (kinds: readonly JobKind[], fingerprint = HOST) =>
    (await scene().claim(fingerprint, { kinds })).job
  const end = (job: Job | undefined, fingerprint = HOST) =>
    job && scene().report(job, 'succeeded', { fingerprint })
  const waiting = async (...jobs: readonly Job[]) =>
    Promise.all(jobs.map(async (job) => (await scene().stored(job)).availableAt === undefined))

  it('passes at once to a job that a host runs, and comes back when that has ended', async () => {
    await host(HOST, ['deploy'])
    const expose = await enqueue('expose')
    expect(await waiting(expose)).toEqual([false])
    const deploy = await enqueue('deploy')
    expect(await waiting(expose, deploy)).toEqual([true, false])
    expect((await scene().jobs.serialHolder(await scene().stored(expose)))?.id).toBe(deploy.id)
    const held = await claim(['deploy'])
    expect(held?.id).toBe(deploy.id)
    await end(held)
    expect(await waiting(expose)).toEqual([false])
    expect((await claim(['expose'], OTHER))?.id).toBe(expose.id)
  })

  it('passes along those that hosts run in their order, one after the other', async () => {
    await host(HOST, ['deploy', 'stop'])
    const first = await enqueue('expose')
    const made = [
      await enqueue('deploy'),
      await enqueue('unexpose'),
      await enqueue('stop'),
      await enqueue('deploy'),
    ]
    const order: string[] = []
    for (let count = 0; count < 3; count += 1) {
      const job = await claim(['deploy', 'stop'])
      expect(await claim(['deploy', 'stop'])).toBeUndefined()
      order.push(job?.id ?? '')
      await end(job)
    }
    expect(order).toEqual([made[0]?.id, made[2]?.id, made[3]?.id])
    expect((await claim(['expose', 'unexpose'], OTHER))?.id).toBe(first.id)
  })

  it('goes to the older job again, as soon as a host runs its kind', async () => {
    await host(HOST, ['deploy'])
    const expose = await enqueue('expose')
    const [deploy] = [await enqueue('deploy'), await enqueue('deploy')]
    const held = await claim(['deploy'])
    expect(held?.id).toBe(deploy?.id)
    await host(OTHER, ['expose'])
    await end(held)
    expect(await claim(['deploy'])).toBeUndefined()
    expect((await claim(['expose'], OTHER))?.id).toBe(expose.id)
  })

  it.each<readonly [string, () => Promise<void>]>([
    ['no host has reported', async () => {}],
    ['a host runs the kind', () => host(HOST, ['expose', 'deploy'])],
    ['a host has not said what it runs', () => host(HOST, undefined)],
    [
      'every host is offline',
      async () => {
        await host(HOST, ['deploy'])
        scene().clock.advance({ seconds: 141 })
      },
    ],
  ])('stays where it is while %s', async (_, prepare) => {
    await prepare()
    const [expose, deploy] = [await enqueue('expose'), await enqueue('deploy')]
    await scene().sweep()
    expect(await waiting(expose, deploy)).toEqual([false, true])
  })

  it('passes at a sweep when the only host that runs the kind goes offline, or runs another', async () => {
    for (const change of [() => scene().clock.advance({ seconds: 141 }), () => host(OTHER, ['stop'])]) {
      await host(HOST, ['deploy'])
      await host(OTHER, ['expose'])
      const [expose, deploy] = [await enqueue('expose'), await enqueue('deploy')]
      await scene().sweep()
      expect(await waiting(expose, deploy)).toEqual([false, true])
      await change()
      await host(HOST, ['deploy'])
      await scene().sweep()
      expect(await waiting(expose, deploy)).toEqual([true, false])
      await scene().cancel(expose)
      await scene().cancel(deploy)
    }
  })

  it('passes from a job that is for a host which does not run it, or is offline while others are not', async () => {
    await host(HOST, ['deploy'])
    await host(OTHER, ['expose'])
    const aimed = await enqueue('expose', { target: HOST })
    const deploy = await enqueue('deploy')
    expect(await waiting(aimed, deploy)).toEqual([true, false])
    const other = { serialKey: 'app:blog' }
    const gone = await enqueue('deploy', { ...other, target: buildId('fp') })
    const next = await enqueue('deploy', other)
    expect(await waiting(gone, next)).toEqual([true, false])
  })

  it('is not taken from a job that a host holds', async () => {
    await host(HOST, ['expose', 'deploy'])
    const expose = await enqueue('expose')
    const held = await claim(['expose'])
    expect(held?.id).toBe(expose.id)
    await host(HOST, ['deploy'])
    const deploy = await enqueue('deploy')
    await scene().sweep()
    expect(await waiting(deploy)).toEqual([true])
    await end(held)
    expect(await waiting(deploy)).toEqual([false])
  })

  it('does not pass to a job that is not due, and passes when it is', async () => {
    await host(HOST, ['deploy'])
    const [expose, later] = [await enqueue('expose'), await enqueue('deploy', { runAt: scene().in(60) })]
    await scene().sweep()
    expect(await waiting(expose, later)).toEqual([false, true])
    scene().clock.advance({ seconds: 60 })
    await scene().sweep()
    expect(await waiting(expose, later)).toEqual([true, false])
  })

  it('stays where it is when a repeat under a dedupe key stores nothing', async () => {
    await host(HOST, ['deploy'])
    const twin = await enqueue('deploy', { serialKey: 'app:blog', dedupeKey: 'one' })
    const expose = await enqueue('expose')
    expect((await enqueue('deploy', { dedupeKey: 'one' })).id).toBe(twin.id)
    await scene().sweep()
    expect(await waiting(expose)).toEqual([false])
  })

  it('of another license or key is not touched', async () => {
    await host(HOST, ['deploy'])
    const licenseId = buildId('lic')
    const [far, near] = [
      await enqueue('expose', { licenseId }),
      await enqueue('expose', { serialKey: 'other' }),
    ]
    const [behind, beside] = [await enqueue('deploy', { licenseId }), await enqueue('deploy')]
    await scene().sweep()
    expect(await waiting(far, near, behind, beside)).toEqual([false, false, true, false])
  })

  it('knows whether a host that is online may take a job', async () => {
    const { licenseId, jobs } = scene()
    const isRun = async (kind: JobKind, target = '') => jobs.isRun({ licenseId, kind, target }, scene().now)
    expect([await isRun('expose'), await isRun('expose', HOST)]).toEqual([true, true])
    await host(HOST, ['deploy'])
    expect([await isRun('expose'), await isRun('deploy'), await isRun('deploy', OTHER)]).toEqual([
      false,
      true,
      false,
    ])
    await host(OTHER, undefined)
    expect([await isRun('expose'), await isRun('expose', HOST), await isRun('expose', OTHER)]).toEqual([
      true,
      false,
      true,
    ])
    scene().clock.advance({ seconds: 140 })
    expect(await isRun('deploy', HOST)).toBe(true)
    scene().clock.advance({ seconds: 1 })
    expect(await isRun('deploy', HOST)).toBe(true)
    await host(OTHER, ['stop'])
    expect([await isRun('deploy', HOST), await isRun('stop')]).toEqual([false, true])
  })
}
