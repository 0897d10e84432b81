import { describe, expect, it } from '@jest/globals'
import { ofLicense, PLATFORM } from '@svc/core'
import { buildHeartbeat, FakeClock, type TestPlane, testPlane } from '@svc/testing'
import { openedStorage } from '../../../../testing/src/opened-storage.ts'
import { type Contract, onEveryStorage } from '../../platform/storage/backends.ts'

const REPO = 'ssh://git@git.example/acme/shop.git'
const FINGERPRINT = 'builder-0123456789'
const ENV = { SERVICE_PUBLIC_URL: 'https://svc.example' }
const COMMITS = { a: 'a'.repeat(40), b: 'b'.repeat(40), c: 'c'.repeat(40) }

const pushes: Contract = (name, open) => {
  describe(`pushes on ${name}`, () => {
    const storage = openedStorage(open)
    let planes = 0
    // Ids are made of the time: planes that share a storage begin at different ones.
    const clockOfOwn = () => {
      planes += 1
      return new FakeClock(new Date(Date.UTC(2026, 0, planes)))
    }

    // Made-up keys of licenses are counted, so the tests of one storage share a plane.
    let shared: TestPlane | undefined
    const withoutEnd = () => ({ ...storage(), [Symbol.asyncDispose]: async () => {} })

    async function scene() {
      shared ??= testPlane({ clock: clockOfOwn(), storage: withoutEnd(), env: ENV })
      const test = shared
      const { plane } = test
      const { id: licenseId } = await test.license()
      await plane.agents.heartbeat({ ...buildHeartbeat({ licenseId, fingerprint: FINGERPRINT }), jobs: [] })
      const { hook } = await plane.gitHooks.set(licenseId, 'shop', {
        fingerprint: FINGERPRINT,
        repoUrl: REPO,
      })
      const push = (sha: string, before = '', delivery_id = sha) => {
        const document = { ref: 'refs/heads/main', sha, before, delivery_id }
        const message = {
          headers: {},
          document,
          bodyDigest: `${hook.id} ${delivery_id}`,
          address: '192.0.2.1',
        }
        return plane.gitPushes.receive({ licenseId, hook }, message)
      }
      return { ...test, hook, licenseId, push }
    }

    it('of one that arrives 20 times at once one job comes', async () => {
      const { push, plane, licenseId } = await scene()
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => push(COMMITS.a)))
      expect(outcomes.filter(({ jobs }) => jobs.length === 1)).toHaveLength(1)
      expect(outcomes.filter(({ ignored }) => ignored === 'duplicate')).toHaveLength(19)
      expect(await plane.jobs.list(ofLicense(licenseId), { limit: 50 })).toHaveLength(1)
    })

    it('of many that arrive at once one is left, and each of the others gave way', async () => {
      const { push, plane, licenseId } = await scene()
      await Promise.all(Array.from({ length: 8 }, (_, index) => push(String(index + 1).repeat(40))))
      const states = (await plane.jobs.list(ofLicense(licenseId), { limit: 50 })).map(({ state }) => state)
      expect(states.filter((state) => state === 'pending')).toHaveLength(1)
      expect(states.filter((state) => state === 'failed')).toHaveLength(7)
    })

    it('a job, its deployment, its first line and the end of the one before are there together', async () => {
      const { push, plane, licenseId } = await scene()
      const [first] = (await push(COMMITS.a)).jobs
      const [second] = (await push(COMMITS.b, COMMITS.a)).jobs
      const old = await plane.jobs.get(PLATFORM, first?.job.id ?? '')
      expect(old).toMatchObject({ state: 'failed', error: 'superseded by bbbbbbbbbbbb', attempt: 0 })
      expect(await plane.deployments.list({ licenseId, limit: 9 })).toMatchObject([
        { jobId: second?.job.id, state: 'pending' },
        { jobId: old.id, state: 'failed' },
      ])
      const deployment = await plane.deployments.get(second?.job.deploymentId ?? '')
      const { logs, count } = await plane.deployments.log(deployment)
      expect({ lines: logs.map(({ line }) => line), count }).toEqual({
        lines: ['git push bbbbbbbbbbbb refs/heads/main by somebody'],
        count: 1,
      })
      expect(await push(COMMITS.a)).toMatchObject({ ignored: 'stale', jobs: [] })
    })

    it('a fault after the job is made leaves neither the job nor the record', async () => {
      const { push, plane, licenseId, hook } = await scene()
      await push(COMMITS.a)
      const broken = { ...storage(), [Symbol.asyncDispose]: async () => {} }
      const fault = new Error('on purpose')
      const { plane: other } = testPlane({
        clock: clockOfOwn(),
        storage: {
          ...broken,
          transaction: (work) =>
            storage().transaction((stores) =>
              work({
                ...stores,
                gitHooks: { ...bound(stores.gitHooks), record: () => Promise.reject(fault) },
              }),
            ),
        },
        env: { SERVICE_PUBLIC_URL: 'https://svc.example' },
      })
      const document = { ref: 'refs/heads/main', sha: COMMITS.b, before: COMMITS.a }
      const message = { headers: {}, document, bodyDigest: 'other', address: '192.0.2.1' }
      await expect(other.gitPushes.receive({ licenseId, hook }, message)).rejects.toBe(fault)
      expect(await plane.jobs.list(ofLicense(licenseId), { limit: 50 })).toMatchObject([{ state: 'pending' }])
      expect(await plane.gitHooks.deliveries(hook, 9)).toHaveLength(1)
    })

    it('deliveries are forgotten after 30 days by the tick', async () => {
      const { push, plane, clock, hook } = await scene()
      await push(COMMITS.a)
      clock.advance({ days: 30 })
      await push(COMMITS.b, COMMITS.a)
      clock.advance({ hours: 2 })
      await plane.scheduler.tick()
      expect(await plane.gitHooks.deliveries(hook, 9)).toMatchObject([{ sha: COMMITS.b }])
    })

    it('credentials go out at the claim; when their key is lost the job says so', async () => {
      const { push, plane } = await scene()
      const [made] = (await push(COMMITS.a)).jobs
      if (made === undefined) throw new Error('no job')
      expect((await plane.gitCredentials.handOut(made.job)).payload.source).toMatchObject({
        auth: { type: 'deploy_key', private_key: expect.stringContaining('OPENSSH PRIVATE KEY') },
      })
      const keyless = { ...storage(), dataKeys: [], [Symbol.asyncDispose]: async () => {} }
      const other = testPlane({
        clock: clockOfOwn(),
        storage: keyless,
        env: { SERVICE_DATA_KEYS: `other:${Buffer.alloc(32, 12).toString('base64')}` },
      })
      expect((await other.plane.gitCredentials.handOut(made.job)).payload.source).toMatchObject({
        auth: { type: 'missing' },
      })
      expect(other.log.text()).toContain('cannot be opened')
    })

    it('are counted by their outcome', async () => {
      const { push, plane } = await scene()
      const counts = async () => {
        const text = await plane.metrics.exposition()
        const of = (family: string) =>
          Number(
            text
              .split('\n')
              .find((line) => line.startsWith(`${family} `))
              ?.split(' ')[1],
          )
        return [
          of('svc_git_deliveries_total{provider="generic",outcome="accepted"}'),
          of('svc_git_deliveries_total{provider="generic",outcome="duplicate"}'),
          of('svc_git_deliveries_refused_total'),
          of('svc_jobs_finished_total{kind="deploy",state="failed",cause="cancelled"}'),
        ]
      }
      const before = await counts()
      await push(COMMITS.a)
      await push(COMMITS.a)
      await push(COMMITS.b, COMMITS.a)
      const sent = { headers: {}, bearer: undefined, body: Buffer.from('{}') }
      await expect(plane.gitPushes.authenticate(sent, undefined)).rejects.toMatchObject({
        code: 'unauthorized',
      })
      expect((await counts()).map((count, at) => count - (before[at] ?? 0))).toEqual([2, 1, 1, 1])
    })
  })
}

/** A store whose methods can be taken apart, whether it is a plain object or an instance of a class. */
function bound<T extends object>(store: T): T {
  const names = new Set([...Object.keys(store), ...Object.getOwnPropertyNames(Object.getPrototypeOf(store))])
  const methods = [...names].flatMap((name) => {
    const method: unknown = Reflect.get(store, name)
    return typeof method === 'function' && name !== 'constructor' ? [[name, method.bind(store)] as const] : []
  })
  return Object.fromEntries(methods) as T
}

onEveryStorage(pushes)
