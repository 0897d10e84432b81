import { describe, expect, it } from '@jest/globals'
import { ofLicense, PLATFORM, type Storage } from '@svc/core'
import type { ObservedEntry } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { buildLicense } from '../../people/licenses/build-license.ts'
import { buildHeartbeat } from '../agents/build-heartbeat.ts'

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
