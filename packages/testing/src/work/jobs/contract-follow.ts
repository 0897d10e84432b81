import { type Job, ofLicense } from '@svc/core'
import { buildId } from '../../build-id.ts'
import { expect, it } from '../../runner.ts'
import { HOST, OTHER, type Scene } from './jobs-scene.ts'

const THIRD = 'host-c-0123456789abcdef'

/** Tests of jobs that follow on further hosts. */
export function followContract(scene: Scene): void {
  /** Enqueues a job for one host that two others follow. */
  async function rolled(fields: Parameters<ReturnType<Scene>['enqueue']>[0] = {}) {
    const successors = [OTHER, THIRD].map((target) => ({ id: buildId('job'), target }))
    const job = await scene().enqueue({ target: HOST, serialKey: 'app:shop', successors, ...fields })
    return { job, ids: successors.map(({ id }) => id) }
  }
  const succeed = async (job: Pick<Job, 'id' | 'target'>) => {
    expect(await scene().claimedId(job.target)).toBe(job.id)
    await scene().report(await scene().stored(job), 'succeeded', { fingerprint: job.target })
  }
  const isThere = async (id = '') => (await scene().jobs.get(ofLicense(scene().licenseId), id)) !== undefined

  it('the next host has the same job when the one before has succeeded, each once', async () => {
    const payload = { app: 'shop', roll: { host: 1, of: 3 } }
    const { job, ids } = await rolled({ kind: 'redeploy', payload, app: 'shop', timeoutSeconds: 60 })
    expect([await isThere(ids[0]), await scene().claimedId(OTHER)]).toEqual([false, undefined])
    await succeed(job)
    scene().clock.advance({ seconds: 5 })
    const second = await scene().stored({ id: ids[0] ?? '' })
    expect(second).toMatchObject({
      ...{ kind: 'redeploy', state: 'pending', target: OTHER, app: 'shop', timeoutSeconds: 60 },
      ...{ payload: { app: 'shop', roll: { host: 2, of: 3 } }, attempt: 0, serialKey: 'app:shop' },
      successors: [{ id: ids[1], target: THIRD }],
    })
    await succeed(second)
    const third = await scene().stored({ id: ids[1] ?? '' })
    expect(third).toMatchObject({ target: THIRD, payload: { roll: { host: 3 } }, successors: undefined })
    await succeed(third)
    expect(await scene().stored(job)).toMatchObject({ state: 'succeeded' })
  })

  it('a job that fails, is cancelled or is lost is followed by none', async () => {
    const failed = await rolled()
    expect(await scene().claimedId()).toBe(failed.job.id)
    await scene().report(failed.job, 'failed')
    const cancelled = await rolled()
    await scene().cancel(cancelled.job)
    const superseded = await rolled()
    const { licenseId } = scene()
    await scene().jobs.supersede({ licenseId, jobIds: [superseded.job.id], reason: 'newer' }, scene().now)
    const lost = await rolled({ maxAttempts: 1 })
    expect(await scene().claimedId()).toBe(lost.job.id)
    scene().clock.advance({ days: 1 })
    expect((await scene().sweep()).ended).toEqual([lost.job.id])
    for (const { ids } of [failed, cancelled, superseded, lost])
      expect(await Promise.all(ids.map(isThere))).toEqual([false, false])
  })

  it('later orders for the app stay behind all hosts of an earlier one', async () => {
    const { job, ids } = await rolled()
    scene().clock.advance({ seconds: 1 })
    const stop = await scene().enqueue({ target: OTHER, serialKey: 'app:shop' })
    await succeed(job)
    expect((await scene().claim(OTHER)).job?.id).toBe(ids[0])
    await scene().report(await scene().stored({ id: ids[0] ?? '' }), 'succeeded', { fingerprint: OTHER })
    expect(await scene().claimedId(OTHER)).toBeUndefined()
    await succeed({ id: ids[1] ?? '', target: THIRD })
    expect(await scene().claimedId(OTHER)).toBe(stop.id)
  })

  it('each has a deployment of its own, by the maker of the first, and a domain goes by the newest', async () => {
    const { licenseId, storage, now } = scene()
    const deploymentIds = [buildId('dep'), buildId('dep')]
    const next = { id: buildId('job'), target: OTHER, deploymentId: deploymentIds[1] ?? '' }
    const fields = { deploymentId: deploymentIds[0], app: 'shop', successors: [next], target: HOST }
    const job = await scene().enqueue(fields)
    const source = { type: 'upload', sha: 'a'.repeat(40) }
    const made = { id: deploymentIds[0] ?? '', licenseId, jobId: job.id, app: 'shop', source, madeBy: 'ann' }
    await storage.deployments.add(made, now)
    await succeed(job)
    expect(await storage.deployments.list({ licenseId, limit: 9 })).toMatchObject([
      {
        id: deploymentIds[1],
        jobId: next.id,
        app: 'shop',
        source,
        madeBy: 'ann',
        state: 'pending',
        target: OTHER,
      },
      { id: deploymentIds[0], state: 'succeeded', target: HOST },
    ])
  })
}
