import { ofLicense, ofTenant, PLATFORM, type Storage } from '@svc/core'
import type { NewApp, NewVariable } from '@svc/core/ports'
import { appIdOf } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { buildLicense } from '../../people/licenses/build-license.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildApp } from './build-app.ts'

const MANY = 100

/** Contract suite of the storage of apps. */
export function appsStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`apps store on ${name}`, () => {
    const storage = openedStorage(open)
    const clock = new FakeClock()
    const apps = () => storage().apps
    const add = async (fields: Partial<NewApp> = {}) => {
      const app = await apps().add(buildApp(fields), MANY, clock.now())
      if (app === undefined) throw new Error('the app was not added')
      return app
    }
    const plain = (variable: string, value: string): NewVariable => ({
      name: variable,
      value,
      secret: undefined,
    })
    const secret = (variable: string, text: string): NewVariable => ({
      name: variable,
      value: undefined,
      secret: text,
    })

    it('an app has the id of its license and name, and its settings', async () => {
      const given = buildApp({ fingerprint: 'fp-1', repoUrl: 'https://git.example/shop.git' })
      const app = await add(given)
      expect(app).toEqual({
        ...given,
        ...{ id: appIdOf(given.licenseId, 'shop'), envRevision: 0 },
        ...{ createdAt: clock.now(), updatedAt: clock.now() },
      })
      expect(await apps().get(PLATFORM, app.id)).toEqual(app)
    })

    it('is added once; whoever names it makes it, and changes nothing of one that is there', async () => {
      const app = await add({ fingerprint: 'fp-1' })
      const { licenseId } = app
      expect(await apps().add(buildApp({ licenseId }), MANY, clock.now())).toBeUndefined()
      clock.advance({ seconds: 1 })
      await apps().ensure({ licenseId, name: 'shop' }, clock.now())
      await apps().ensure({ licenseId, name: 'blog' }, clock.now())
      await apps().ensure({ licenseId, name: 'blog' }, clock.now())
      const found = await apps().list(ofLicense(licenseId), MANY)
      expect(found.map(({ name: each, createdAt }) => [each, createdAt])).toEqual([
        ['blog', clock.now()],
        ['shop', app.createdAt],
      ])
      expect(found[1]).toEqual(app)
    })

    it('a license has as many as it may, and another license its own', async () => {
      const { licenseId } = await add()
      const more = buildApp({ licenseId, name: 'blog' })
      expect(await apps().add(more, 1, clock.now())).toBeUndefined()
      expect(await apps().add(buildApp({ name: 'blog' }), 1, clock.now())).toBeDefined()
      expect(await apps().add(more, 2, clock.now())).toBeDefined()
    })

    it('is changed as given, and not when it is gone', async () => {
      const app = await add({ fingerprint: 'fp-1', repoUrl: 'https://git.example/a' })
      clock.advance({ seconds: 1 })
      const settings = { fingerprint: 'fp-2', moreHosts: ['fp-3', 'fp-1'], repoUrl: 'x' }
      const changed = await apps().change(app.id, settings, clock.now())
      expect(changed).toEqual({ ...app, ...settings, updatedAt: clock.now() })
      expect(await apps().lock(app.id)).toEqual(changed)
      expect(
        await apps().change(buildId('app'), { fingerprint: undefined, moreHosts: [], repoUrl: undefined }),
      ).toBeUndefined()
      expect(await apps().lock(buildId('app'))).toBeUndefined()
    })

    it('keeps its move until there is none', async () => {
      const app = await add()
      const step = { do: 'expose', host: 'fp-2', domain: 'shop.example', jobId: 'job_1' } as const
      const ends = { kind: 'move', from: 'fp-1', to: 'fp-2', withData: true } as const
      const move = { ...ends, steps: [step], at: 1 }
      clock.advance({ seconds: 1 })
      await apps().setMove(app.id, move, clock.now())
      expect(await apps().lock(app.id)).toEqual({ ...app, move, updatedAt: clock.now() })
      await apps().setMove(app.id, undefined, clock.now())
      expect(await apps().lock(app.id)).toEqual({ ...app, move: undefined, updatedAt: clock.now() })
    })

    it('is found by id and name within a scope', async () => {
      const tenant = buildId('ten')
      await storage().tenants.add({ id: tenant, name: tenant })
      const license = buildLicense({ tenantId: tenant })
      await storage().licenses.add(license)
      const own = await add({ licenseId: license.id, name: buildId('own') })
      const other = await add({ name: own.name })
      for (const scope of [PLATFORM, ofTenant(tenant), ofLicense(license.id)])
        expect(await apps().find(scope, own.id)).toEqual([own])
      const both = [own, other].sort((one, more) => (one.id < more.id ? -1 : 1))
      expect(await apps().find(PLATFORM, own.name)).toEqual(both)
      expect(await apps().find(ofTenant(tenant), own.name)).toEqual([own])
      expect(await apps().get(ofTenant(tenant), other.id)).toBeUndefined()
      expect(await apps().list(ofTenant(tenant), MANY)).toEqual([own])
      expect(await apps().list(ofTenant(tenant), 0)).toEqual([])
    })

    it('variables are stored by name, plain or sealed, and each change raises the revision by one', async () => {
      const { id } = await add()
      await apps().setVariables(id, [secret('TOKEN', 'sealed'), plain('LEVEL', 'a=b\n"c"')], clock.now())
      const first = clock.now()
      clock.advance({ seconds: 1 })
      await apps().setVariables(id, [plain('TOKEN', 'open'), plain('ADDED', '')], clock.now())
      expect(await apps().variables(id)).toEqual([
        { ...plain('ADDED', ''), updatedAt: clock.now() },
        { ...plain('LEVEL', 'a=b\n"c"'), updatedAt: first },
        { ...plain('TOKEN', 'open'), updatedAt: clock.now() },
      ])
      expect(await apps().lock(id)).toMatchObject({ envRevision: 2, updatedAt: clock.now() })
      await apps().setVariables(id, [], clock.now())
      await apps().setVariables(buildId('app'), [plain('LOST', '')], clock.now())
      expect((await apps().lock(id))?.envRevision).toBe(2)
    })

    it('variables are removed by name; removing none changes nothing', async () => {
      const [one, other] = [await add(), await add()]
      for (const { id } of [one, other])
        await apps().setVariables(id, [plain('A', '1'), plain('B', '2'), plain('C', '3')], clock.now())
      expect(await apps().unsetVariables(one.id, ['C', 'A', 'NONE'], clock.now())).toEqual(['A', 'C'])
      expect(await apps().unsetVariables(one.id, ['A'], clock.now())).toEqual([])
      expect((await apps().variables(one.id)).map((each) => each.name)).toEqual(['B'])
      expect((await apps().lock(one.id))?.envRevision).toBe(2)
      expect(await apps().variables(other.id)).toHaveLength(3)
    })

    it('names the variables of some apps, and of no others', async () => {
      const [one, other, third] = [await add(), await add(), await add()]
      await apps().setVariables(one.id, [plain('A', '1'), plain('B', '2')], clock.now())
      await apps().setVariables(other.id, [plain('A', '1')], clock.now())
      await apps().setVariables(third.id, [plain('C', '1')], clock.now())
      const named = await apps().variableNames([one.id, other.id, 'app_none'])
      expect(named.map(({ appId, name }) => `${appId} ${name}`).sort()).toEqual(
        [`${one.id} A`, `${one.id} B`, `${other.id} A`].sort(),
      )
      expect(await apps().variableNames([])).toEqual([])
    })

    it('is removed with its variables alone', async () => {
      const [one, other] = [await add(), await add()]
      for (const { id } of [one, other]) await apps().setVariables(id, [plain('A', '1')], clock.now())
      expect([await apps().remove(one.id), await apps().remove(one.id)]).toEqual([true, false])
      expect(await apps().variables(one.id)).toEqual([])
      expect(await apps().variables(other.id)).toHaveLength(1)
    })
  })
}
