import { ofLicense, PLATFORM, type Storage } from '@svc/core'
import type { ObservedEntry } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { buildLicense } from '../../people/licenses/build-license.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildHeartbeat } from '../agents/build-heartbeat.ts'
import { buildDeployment } from '../deployments/build-deployment.ts'
import { buildJob } from '../jobs/build-job.ts'

const MANY = 100
const UP: ObservedEntry = { app: 'shop', state: 'up', release: 3, up: 2, of: 2, restarts: 0 }

/** Contract suite of the storage of the states of apps. */
export function observedAppsStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`observed apps store on ${name}`, () => {
    const storage = openedStorage(open)
    const clock = new FakeClock()
    const observed = () => storage().observedApps
    const addHost = async (licenseId?: string, fingerprint = buildId('fp')) => {
      const license = licenseId ?? buildId('lic')
      if (licenseId === undefined) await storage().licenses.add(buildLicense({ id: license }))
      await storage().agents.heartbeat(buildHeartbeat({ licenseId: license, fingerprint }), clock.now())
      return { licenseId: license, fingerprint }
    }

    it('an app has the state that its host told last, and since when it is so', async () => {
      const host = await addHost()
      const scope = ofLicense(host.licenseId)
      const cron = { name: 'clean', schedule: '@daily', timezone: 'UTC', running: true, skipped: 2 }
      const { app, state, ...detail } = { ...UP, sha: 'a'.repeat(40), missing: ['web.1'], crons: [cron] }
      await observed().note(host, [{ app, state, ...detail }], MANY, clock.now())
      const first = clock.now()
      const row = { ...host, app, state, detail, since: first, observedAt: first }
      expect(await observed().list(scope, ['shop'])).toEqual([row])
      clock.advance({ seconds: 30 })
      await observed().note(host, [{ ...UP, restarts: 1 }], MANY, clock.now())
      const [same] = await observed().list(scope, ['shop'])
      expect(same).toMatchObject({ since: first, observedAt: clock.now(), detail: { restarts: 1 } })
      expect(same?.detail.crons).toBeUndefined()
      clock.advance({ seconds: 30 })
      await observed().note(host, [{ ...UP, state: 'down', up: 0 }], MANY, clock.now())
      expect(await observed().list(scope, ['shop'])).toMatchObject([{ state: 'down', since: clock.now() }])
      await observed().note(host, [UP], MANY)
    })

    it('apps are listed by name and host within a scope, and one that is gone is removed', async () => {
      const one = await addHost(undefined, 'fp-b')
      const other = await addHost(one.licenseId, 'fp-a')
      const stranger = await addHost(undefined, 'fp-c')
      for (const host of [one, other, stranger])
        await observed().note(host, [UP, { ...UP, app: 'blog' }, { ...UP, app: 'blog-2' }], MANY, clock.now())
      const names = async (scope: ReturnType<typeof ofLicense>, apps = ['shop', 'blog']) =>
        (await observed().list(scope, apps)).map(({ app, fingerprint }) => `${app} ${fingerprint}`)
      const all = ['blog fp-a', 'blog fp-b', 'shop fp-a', 'shop fp-b']
      expect(await names(ofLicense(one.licenseId))).toEqual(all)
      expect(await names(ofLicense(one.licenseId), ['none'])).toEqual([])
      const owners = new Set((await observed().list(PLATFORM, ['shop'])).map(({ licenseId }) => licenseId))
      expect([one, stranger].every(({ licenseId }) => owners.has(licenseId))).toBe(true)
      await observed().note(
        one,
        [
          { ...UP, state: 'gone' },
          { ...UP, app: 'blog', state: 'stopped' },
        ],
        MANY,
      )
      expect(await names(ofLicense(one.licenseId))).toEqual(['blog fp-a', 'blog fp-b', 'shop fp-a'])
      expect(await names(ofLicense(stranger.licenseId))).toEqual(['blog fp-c', 'shop fp-c'])
    })

    it('only apps that somebody has to look at are troubles', async () => {
      const [one, other] = [await addHost(), await addHost()]
      const cron = { name: 'clean', schedule: '@daily', timezone: 'UTC', running: false, skipped: 0 }
      const entries: ObservedEntry[] = [
        UP,
        { ...UP, app: 'a', state: 'degraded' },
        { ...UP, app: 'b', state: 'down' },
        { ...UP, app: 'c', state: 'stopped', up: 0 },
        { ...UP, app: 'd', restarts: 4 },
        { ...UP, app: 'e', restarts: 5 },
        { ...UP, app: 'f', crons: [cron, { ...cron, name: 'late', skipped: 9 }] },
        { ...UP, app: 'g', crons: [cron, { ...cron, name: 'bad', fault: 'it ended with exit code 1' }] },
      ]
      await observed().note(one, entries, MANY)
      await observed().note(other, [{ ...UP, state: 'down' }], MANY)
      const troubled = async (limit: number) =>
        (await observed().troubles(limit)).map(({ licenseId, app }) => [licenseId === one.licenseId, app])
      const ofOne = ['a', 'b', 'e', 'g'].map((app) => [true, app])
      const ofOther = [[false, 'shop']]
      const ofBoth = one.licenseId < other.licenseId ? [...ofOne, ...ofOther] : [...ofOther, ...ofOne]
      expect(await troubled(MANY)).toEqual(ofBoth)
      // One license does not take the places of others.
      const first = [...ofOne.slice(0, 2), ...ofOther]
      expect((await troubled(2)).toSorted()).toEqual(first.toSorted())
      await observed().note(
        one,
        entries.map(({ app }) => ({ ...UP, app })),
        MANY,
      )
      expect(await troubled(MANY)).toEqual([[false, 'shop']])
    })

    it('an app drifts that runs another commit than was deployed on its host last', async () => {
      const here = await addHost(undefined, buildId('fp'))
      const there = await addHost(here.licenseId, buildId('fp'))
      const stranger = await addHost()
      type Host = typeof here
      const enqueue = async ({ licenseId, fingerprint }: Host, app: string, source: object) => {
        const job = buildJob({
          licenseId,
          kind: 'deploy',
          app,
          target: fingerprint,
          deploymentId: buildId('dep'),
        })
        await storage().jobs.enqueue(job, clock.now())
        const deployment = { licenseId, jobId: job.id, app, source: { ...source } }
        await storage().deployments.add(
          buildDeployment({ ...deployment, id: job.deploymentId ?? '' }),
          clock.now(),
        )
        return job
      }
      const end = async (host: Host, jobId: string, state: 'succeeded' | 'failed') => {
        const owner = { ...host, jobId, attempt: undefined, leaseSeconds: 60 }
        clock.advance({ seconds: 1 })
        await storage().jobs.lease({ ...owner, claimKey: undefined }, clock.now())
        await storage().jobs.report({ ...owner, state, exitCode: 0, error: undefined }, clock.now())
      }
      const deploy = async (
        host: Host,
        sha: string,
        state: 'succeeded' | 'failed' = 'succeeded',
        app = 'shop',
      ) => end(host, (await enqueue(host, app, { type: 'git', sha })).id, state)
      const note = (host: Host, fields: Partial<ObservedEntry>) =>
        observed().note(host, [{ ...UP, ...fields }], MANY, clock.now())
      const drifting = async (limit = MANY) =>
        (await observed().drifts(limit))
          .filter(({ licenseId }) => [here, stranger].some((host) => host.licenseId === licenseId))
          .map(({ fingerprint, app, detail, expected }) => [fingerprint, app, detail.sha, expected])
      const [a, b, c] = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string]

      // Never deployed by the plane, or told without a commit.
      await note(here, { sha: a })
      expect(await drifting()).toEqual([])
      await deploy(here, a)
      await deploy(there, a)
      await note(there, { sha: a })
      expect(await drifting()).toEqual([])
      // A deploy that failed left the old one, and a rollback makes an older commit the last one.
      await deploy(here, b, 'failed')
      expect(await drifting()).toEqual([])
      await deploy(here, b)
      expect(await drifting()).toEqual([[here.fingerprint, 'shop', a, b]])
      const [{ deploymentId = '', ...drift } = {}] = await observed().drifts(MANY, { ...here, app: 'shop' })
      expect(await storage().deployments.get(deploymentId)).toMatchObject({ source: { sha: b } })
      const [seen] = await observed()
        .list(ofLicense(here.licenseId), ['shop'])
        .then((rows) => rows.filter(({ fingerprint }) => fingerprint === here.fingerprint))
      expect(drift).toEqual({ ...seen, expected: b })
      await note(here, { sha: b })
      await deploy(here, a)
      expect(await drifting()).toEqual([[here.fingerprint, 'shop', b, a]])
      await note(here, {})
      expect(await drifting()).toEqual([])
      // While a job of the app waits or runs, nothing is told.
      const early = await enqueue(here, 'shop', { type: 'git', sha: c })
      await note(here, { sha: b })
      expect(await drifting()).toEqual([])
      await note(here, { sha: a })
      await end(here, early.id, 'succeeded')
      expect(await drifting()).toEqual([[here.fingerprint, 'shop', a, c]])
      // Stopped apps run nothing, and an image has no commit.
      await note(here, { sha: a, state: 'stopped' })
      expect(await drifting()).toEqual([])
      await note(here, { sha: a, state: 'degraded' })
      expect(await drifting()).toHaveLength(1)
      await end(here, (await enqueue(here, 'shop', { type: 'image', image: 'shop:2' })).id, 'succeeded')
      expect(await drifting()).toEqual([])
      // Jobs of other apps and other licenses change nothing, and each license has places of its own.
      await deploy(here, c)
      await deploy(here, b, 'succeeded', 'blog')
      await note(here, { app: 'blog', sha: a })
      await deploy(stranger, b)
      await note(stranger, { sha: a })
      await enqueue(stranger, 'blog', { type: 'git', sha: c })
      const all = [
        [here.fingerprint, 'blog', a, b],
        [here.fingerprint, 'shop', a, c],
        [stranger.fingerprint, 'shop', a, b],
      ]
      expect((await drifting()).toSorted()).toEqual(all.toSorted())
      expect((await drifting(1)).toSorted()).toEqual([all[0], all[2]].toSorted())
      const only = await observed().drifts(MANY, { licenseId: here.licenseId, app: 'blog' })
      expect(only.map(({ app }) => app)).toEqual(['blog'])
      await note(stranger, { sha: b })
      await note(here, { sha: c })
      await note(here, { app: 'blog', sha: b })
    })

    it('a host has at most so many, and one that is not known or forgotten has none', async () => {
      const host = await addHost()
      const names = async () =>
        (await observed().list(ofLicense(host.licenseId), ['a', 'b', 'c'])).map(({ app }) => app)
      await observed().note(host, [{ ...UP, app: 'a' }], 2)
      await observed().note(host, [{ ...UP, app: 'b' }], 2)
      await observed().note(
        host,
        [
          { ...UP, app: 'c' },
          { ...UP, app: 'a', state: 'down' },
        ],
        2,
      )
      expect(await names()).toEqual(['a', 'b'])
      expect(await observed().list(ofLicense(host.licenseId), ['a'])).toMatchObject([{ state: 'down' }])
      await observed().note({ ...host, fingerprint: 'fp-unknown' }, [{ ...UP, app: 'c' }], MANY)
      expect(await names()).toEqual(['a', 'b'])
      await storage().agents.forget(host.licenseId, host.fingerprint)
      expect(await names()).toEqual([])
    })
  })
}
