import type { Job, Storage } from '@svc/core'
import { buildId } from '../../build-id.ts'
import { buildAccessSession } from '../../hosts/access/build-access-session.ts'
import { openedStorage } from '../../opened-storage.ts'
import { beforeEach, describe, expect, it } from '../../runner.ts'
import { buildHeartbeat } from '../../work/agents/build-heartbeat.ts'
import { buildJob } from '../../work/jobs/build-job.ts'
import { HOST, JobsScene } from '../../work/jobs/jobs-scene.ts'

const LIMITS = { perHost: 4, total: 100 }

/** Contract suite of the signals that a database sends to waiting hosts. */
export function signalsContract(name: string, open: () => Promise<Storage>): void {
  describe(`signals on ${name}`, () => {
    const storage = openedStorage(open)
    let scene: JobsScene
    beforeEach(() => {
      scene = new JobsScene(storage())
    })

    /** The signals about the scene's license while `work` runs, in their order. */
    async function during(work: () => Promise<unknown>): Promise<readonly string[]> {
      const heard: string[] = []
      const end = Promise.withResolvers<void>()
      const echo = `echo ${buildId('end')}`
      await using _line = await storage().hearSignals(
        (text) => {
          if (text === echo) end.resolve()
          else if (text.includes(scene.licenseId)) heard.push(text.replace(` ${scene.licenseId}`, ''))
        },
        () => {},
      )
      await work()
      // Signals arrive in the order of their transactions.
      await storage().signal(echo)
      await end.promise
      return heard
    }

    const pending = (job: Pick<Job, 'id' | 'kind' | 'target'>, ms = 0) =>
      `job ${job.id} ${job.kind} ${ms} ${job.target}`
    const beat = () =>
      storage().agents.heartbeat(buildHeartbeat({ licenseId: scene.licenseId, fingerprint: HOST }), scene.now)

    it.each([
      ['any host', {}, 0],
      ['one host', { target: HOST, kind: 'stop' }, 0],
      ['a host whose fingerprint has spaces', { target: 'a b  c' }, 0],
      ['later', { runAt: 90 }, 90_000],
      ['the front', { urgent: true }, 0],
    ] as const)('tell of a job for %s', async (_, { ...fields }, ms) => {
      const { runAt, ...rest } = { runAt: undefined, ...fields }
      const at = runAt === undefined ? {} : { runAt: scene.in(runAt) }
      let job: Job | undefined
      const heard = await during(async () => {
        job = await scene.enqueue({ ...rest, ...at })
      })
      expect(heard).toEqual([job && pending(job, ms)])
    })

    it('tell of each job of a transaction, after it', async () => {
      const jobs = [1, 2].map(() => buildJob({ licenseId: scene.licenseId }))
      const heard = await during(async () => {
        await storage().transaction(async (stores) => {
          for (const job of jobs) await stores.jobs.enqueue(job, scene.now)
        })
      })
      expect(heard).toEqual(jobs.map((job) => pending(job)))
    })

    it('tell of no job that was undone, and of none that was there under its dedupe key', async () => {
      const fields = { dedupeKey: 'once' }
      await scene.enqueue(fields)
      const heard = await during(async () => {
        await scene.enqueue(fields)
        const undone = storage().transaction(async (stores) => {
          await stores.jobs.enqueue(buildJob({ licenseId: scene.licenseId }), scene.now)
          throw new Error('on purpose')
        })
        await expect(undone).rejects.toThrow('on purpose')
      })
      expect(heard).toEqual([])
    })

    it('tell of the next job of a serial key when the one before ends, and not earlier', async () => {
      const first = await scene.held({ serialKey: 'app' })
      const made: Job[] = []
      const stored = during(async () => void made.push(await scene.enqueue({ serialKey: 'app' })))
      expect(await stored).toEqual([])
      expect(await during(() => scene.report(first, 'succeeded'))).toEqual(made.map((job) => pending(job)))
    })

    it('tell of a job that its host gives back', async () => {
      const job = await scene.held()
      expect(await during(() => scene.report(job, 'pending'))).toEqual([pending(job)])
    })

    it('tell nothing of claims, reports, output and heartbeats', async () => {
      await beat()
      const { id } = await scene.enqueue()
      const heard = await during(async () => {
        await beat()
        const { job } = await scene.claim()
        if (job?.id !== id) throw new Error('another job was due')
        await scene.report(job, 'running')
        await scene.append(job, ['a line'])
        await scene.jobs.renew([scene.owner(job)], 300, scene.in(200))
        await scene.report(job, 'succeeded')
      })
      expect(heard).toEqual([])
    })

    it('tell the holder of a job that it should stop, once, and nobody of a job that nobody holds', async () => {
      const job = await scene.held()
      const twice = async () => {
        await scene.cancel(job)
        await scene.cancel(job)
      }
      expect(await during(twice)).toEqual([`host ${HOST}`])
      const waiting = await scene.enqueue()
      expect(await during(() => scene.cancel(waiting))).toEqual([])
    })

    it('tell a host that it is drained and that it returns, and nothing of a label', async () => {
      await beat()
      const change = (changes: object) => storage().agents.change(scene.licenseId, HOST, changes, scene.now)
      expect(await during(() => change({ drained: true }))).toEqual([`host ${HOST}`])
      expect(await during(() => change({ drained: true, label: 'x' }))).toEqual([])
      expect(await during(() => change({ drained: false }))).toEqual([`host ${HOST}`])
    })

    it('tell a host of a session that is opened for it', async () => {
      const session = buildAccessSession({ licenseId: scene.licenseId, fingerprint: HOST })
      const heard = await during(() => storage().accessSessions.open(session, LIMITS, scene.now))
      expect(heard).toEqual([`access ${HOST}`])
    })

    it('are heard by all that listen, until they stop', async () => {
      const heard: string[] = []
      const lost = () => heard.push('lost')
      const line = await storage().hearSignals((text) => heard.push(text), lost)
      const [own, other] = [`echo ${buildId('x')}`, `echo ${buildId('x')}`]
      await during(() => storage().signal(own))
      await line[Symbol.asyncDispose]()
      await during(() => storage().signal(other))
      expect(heard.filter((text) => text === own || text === other || text === 'lost')).toEqual([own])
    })
  })
}
