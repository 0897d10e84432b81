import { type Job, type JobState, PLATFORM, type Storage } from '@svc/core'
import { firstIdAt, KEPT_DEPLOYMENTS, type NewJob, type RetentionPage } from '@svc/core/ports'
import { openedStorage } from '../../opened-storage.ts'
import { beforeEach, describe, expect, it } from '../../runner.ts'
import { buildDeployment } from '../deployments/build-deployment.ts'
import { JobsScene } from '../jobs/jobs-scene.ts'

const DAY = 86_400

/** Contract suite of the storage of retention. */
export function retentionStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`retention store on ${name}`, () => {
    const storage = openedStorage(open)
    let scene: JobsScene
    let made = 0
    beforeEach(() => {
      scene = new JobsScene(storage())
    })
    const retention = () => storage().retention
    /** An id as of a job that was made some days ago; each is behind the one before. */
    const idOf = (daysAgo: number): string => {
      made += 1
      return firstIdAt('job', new Date(scene.in(-daysAgo * DAY).getTime() + made))
    }
    async function ended(
      daysAgo: number,
      state: JobState = 'succeeded',
      fields: Partial<NewJob> = {},
    ): Promise<Job> {
      const job = await scene.held({ id: idOf(daysAgo), ...fields })
      await scene.append(job, ['one', 'two'])
      await scene.report(job, state)
      return scene.stored(job)
    }
    const page = (fields: Partial<RetentionPage> = {}): RetentionPage => ({
      after: '',
      before: scene.in(1),
      limit: 1000,
      ...fields,
    })
    /** The jobs of this test on a page, which has jobs of other tests as well. */
    async function past(which: 'jobs' | 'logs', ...own: readonly Job[]) {
      const { ids } = await (which === 'jobs' ? retention().pastJobs(page()) : retention().pastLogs(page()))
      return own.filter(({ id }) => ids.includes(id))
    }
    const deploy = async (app: string, state: JobState = 'succeeded') => {
      const job = await ended(100, state, { kind: 'deploy', app, maxAttempts: 1 })
      const { licenseId } = scene
      await storage().deployments.add(buildDeployment({ licenseId, jobId: job.id, app }), scene.now)
      return job
    }

    it('ended jobs are past their retention by their end, unfinished ones never', async () => {
      const old = await ended(100)
      const failed = await ended(99, 'failed', { maxAttempts: 1 })
      const waiting = await scene.enqueue({ id: idOf(98) })
      expect(await past('jobs', old, failed, waiting)).toEqual([old, failed])
      const { ids } = await retention().pastJobs(page({ before: scene.now }))
      expect(ids.filter((id) => [old.id, failed.id].includes(id))).toEqual([])
    })

    it('jobs are looked at page by page, along their ids', async () => {
      const jobs = [await ended(9000), await ended(8999), await scene.enqueue({ id: idOf(8998) })]
      const [one, two, three] = jobs.map(({ id }) => id)
      const look = (after: string, limit: number) =>
        retention().pastJobs(page({ after, limit, before: scene.in(1) }))
      const start = firstIdAt('job', scene.in(-9001 * DAY))
      expect(await look(start, 2)).toEqual({ ids: [one, two], last: two })
      expect(await look(two ?? '', 1)).toEqual({ ids: [], last: three })
      expect(await look('z', 5)).toEqual({ ids: [], last: undefined })
    })

    it('the newest ten deployments of an app stay, and the last one that succeeded', async () => {
      const gone = await deploy('shop')
      const good = await deploy('shop')
      const failed = await deploy('shop', 'failed')
      const newest: Job[] = []
      for (let count = 0; count < KEPT_DEPLOYMENTS; count += 1) newest.push(await deploy('shop', 'failed'))
      const other = await deploy('blog')
      expect(await past('jobs', gone, good, failed, ...newest, other)).toEqual([gone, failed])
    })

    it('a job goes with its deployment and its log, and no unfinished one goes', async () => {
      const old = await deploy('shop')
      const [kept, held] = [await ended(100), await scene.held({ id: idOf(99) })]
      const list = async () => (await storage().deployments.list({ ...scene, app: 'shop', limit: 9 })).length
      expect(await list()).toBe(1)
      expect(await retention().removeJobs([old.id, old.id, held.id, 'job_none'])).toBe(1)
      expect(await storage().jobs.get(PLATFORM, old.id)).toBeUndefined()
      expect([await list(), await scene.lines(old), await scene.lines(kept)]).toEqual([0, [], ['one', 'two']])
      expect(await scene.stored(held)).toMatchObject({ state: 'claimed' })
      expect(await retention().removeJobs([])).toBe(0)
    })

    it('logs go while their jobs stay, by the end of the job', async () => {
      const [old, other] = [await ended(40), await ended(39)]
      const busy = await scene.held({ id: idOf(38) })
      await scene.append(busy, ['now'])
      const silent = await scene.enqueue({ id: idOf(37) })
      expect(await past('logs', old, other, busy, silent)).toEqual([old, other])
      expect(await retention().removeLogs([old.id, busy.id, silent.id])).toBe(1)
      expect([await scene.lines(old), await scene.lines(busy)]).toEqual([[], ['now']])
      expect(await scene.stored(old)).toMatchObject({ state: 'succeeded' })
      expect(await past('logs', old, other)).toEqual([other])
      expect(await retention().removeLogs([])).toBe(0)
    })

    it('the backlog counts jobs by their end and logs by the making of their jobs, up to a bound', async () => {
      const before = await retention().backlog(scene.in(1), scene.in(1), 10_000)
      await ended(50)
      await ended(60)
      await scene.enqueue({ id: idOf(55) })
      const after = await retention().backlog(scene.in(1), scene.in(1), 10_000)
      expect(after.jobs).toMatchObject({ rows: before.jobs.rows + 2, more: false, oldest: expect.any(Date) })
      expect(after.logs).toMatchObject({ rows: before.logs.rows + 2, more: false })
      expect(after.logs.bytes).toBeGreaterThan(before.logs.bytes)
      const bounded = await retention().backlog(scene.in(1), scene.in(1), 1)
      expect([bounded.jobs, bounded.logs]).toMatchObject([
        { rows: 1, more: true },
        { rows: 1, more: true },
      ])
      const none = await retention().backlog(new Date(0), new Date(0), 10)
      expect(none).toEqual({
        jobs: { rows: 0, more: false, oldest: undefined },
        logs: { rows: 0, more: false, bytes: 0 },
      })
    })

    it('logs of jobs that are not past stay, whichever months go', async () => {
      const [late, busy] = [await ended(40), await scene.held({ id: idOf(39) })]
      await scene.append(busy, ['now'])
      await retention().makeLogMonths()
      for (const withRows of [true, false]) {
        const { logs } = await retention().dropLogMonths(scene.in(-41 * DAY), withRows)
        expect([logs, await scene.lines(late), await scene.lines(busy)]).toEqual([0, ['one', 'two'], ['now']])
      }
      expect(await retention().logMonthsFault()).toBeUndefined()
    })

    it('jobs come with their deployments, by id', async () => {
      const [other, deployed] = [await ended(100), await deploy('shop')]
      const found = await retention().jobs([deployed.id, other.id, 'job_none', other.id])
      expect(found.toSorted((one) => (one.deployment === undefined ? -1 : 1))).toEqual([
        { job: other, deployment: undefined },
        {
          job: deployed,
          deployment: expect.objectContaining({ jobId: deployed.id, app: 'shop', createdAt: scene.now }),
        },
      ])
      expect(found.map(({ job }) => job.id)).toEqual([other.id, deployed.id].sort())
      expect(await retention().jobs([])).toEqual([])
    })

    it('an archive has one mark, until it is ended', async () => {
      const marks = async (mark?: string) => (await retention().setArchive(mark)).archive
      expect([await marks('one'), await marks('two'), (await retention().state()).archive]).toEqual([
        'one',
        'one',
        'one',
      ])
      expect([await marks(), await marks(), await marks('two'), await marks()]).toEqual([
        undefined,
        undefined,
        'two',
        undefined,
      ])
    })

    it('the rules are accepted once, and the time of the logs never goes back', async () => {
      await retention().accept('ann', scene.now)
      await retention().accept('bob', scene.in(9))
      await retention().noteLogs(scene.in(-5))
      await retention().noteLogs(scene.in(-9))
      expect(await retention().state()).toEqual({
        held: false,
        acceptedAt: scene.now,
        acceptedBy: 'ann',
        logsBefore: scene.in(-5),
        archive: undefined,
      })
    })
  })
}
