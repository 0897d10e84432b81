import type { Storage } from '@svc/core'
import { type App, appDomainId, type NewAppDomain } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildJob } from '../jobs/build-job.ts'
import { buildApp } from './build-app.ts'

const MANY = 100

/** Contract suite of the storage of the domains of apps. */
export function appDomainsStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`app domains store on ${name}`, () => {
    const storage = openedStorage(open)
    const clock = new FakeClock()
    const domains = () => storage().appDomains
    const addApp = async (licenseId = buildId('lic'), appName = 'shop') => {
      const app = await storage().apps.add(buildApp({ licenseId, name: appName }), MANY, clock.now())
      if (app === undefined) throw new Error('the app was not added')
      return app
    }
    const domainOf = async (app: App, domain: string, fields: Partial<NewAppDomain> = {}) => {
      const { job } = await storage().jobs.enqueue(
        buildJob({ licenseId: app.licenseId, kind: 'expose', target: 'fp-1' }),
      )
      const row = { licenseId: app.licenseId, appId: app.id, domain, jobId: job.id, isLeaving: false }
      return { ...row, options: { tls: 'auto' as const }, madeBy: 'cli:ann', ...fields }
    }

    it('a domain has the options and the job that it was stored with', async () => {
      const app = await addApp()
      const given = await domainOf(app, 'shop.example.com', {
        options: { tls: 'off', redirect_to: 'www.example.com', allow: ['10.0.0.0/8', '::1'] },
      })
      expect(await domains().put(given, clock.now())).toBe(true)
      const found = await domains().find(app.licenseId, 'shop.example.com')
      expect(found).toEqual({
        ...given,
        id: appDomainId(app.licenseId, 'shop.example.com'),
        ...{ createdAt: clock.now(), updatedAt: clock.now() },
        ...{ jobState: 'pending', jobError: undefined, jobTarget: 'fp-1' },
      })
      expect(await domains().list(app.id)).toEqual([found])
      expect(await domains().find(buildId('lic'), 'shop.example.com')).toBeUndefined()
    })

    it('follows the repeat of its newest job, in its own license', async () => {
      const [app, other] = [await addApp(), await addApp()]
      const row = await domainOf(app, 'a.example.com')
      await domains().put(row, clock.now())
      const repeat = (licenseId: string) =>
        storage().jobs.enqueue(buildJob({ licenseId, kind: 'expose', target: 'fp-1', retryOf: row.jobId }))
      await repeat(other.licenseId)
      expect(await domains().list(app.id)).toMatchObject([{ jobId: row.jobId }])
      const { job } = await repeat(app.licenseId)
      expect(await domains().list(app.id)).toMatchObject([{ jobId: job.id, jobState: 'pending' }])
      await repeat(app.licenseId)
      expect(await domains().list(app.id)).toMatchObject([{ jobId: job.id }])
    })

    it('a further put changes it, and keeps the time when it was first stored', async () => {
      const app = await addApp()
      await domains().put(await domainOf(app, 'a.example.com'), clock.now())
      const first = clock.now()
      clock.advance({ seconds: 1 })
      const later = await domainOf(app, 'a.example.com', { isLeaving: true, madeBy: 'cli:bob' })
      expect(await domains().put(later, clock.now())).toBe(true)
      expect(await domains().list(app.id)).toEqual([
        expect.objectContaining({ ...later, createdAt: first, updatedAt: clock.now() }),
      ])
    })

    it('leads to one app of a license, and to one of each license', async () => {
      const app = await addApp()
      const beside = await addApp(app.licenseId, 'blog')
      const elsewhere = await addApp()
      await domains().put(await domainOf(app, 'a.example.com'), clock.now())
      expect(await domains().put(await domainOf(beside, 'a.example.com'), clock.now())).toBe(false)
      expect(await domains().put(await domainOf(elsewhere, 'a.example.com'), clock.now())).toBe(true)
      expect(await domains().list(beside.id)).toEqual([])
      expect((await domains().find(app.licenseId, 'a.example.com'))?.appId).toBe(app.id)
    })

    it('tells how its job ended', async () => {
      const app = await addApp()
      const given = await domainOf(app, 'a.example.com')
      await domains().put(given, clock.now())
      const host = { licenseId: app.licenseId, fingerprint: 'fp-1', leaseSeconds: 60 }
      await storage().jobs.lease({ ...host, claimKey: undefined, kinds: ['expose'] })
      const end = { state: 'failed', exitCode: 1, error: 'it leads elsewhere', attempt: undefined } as const
      await storage().jobs.report({ ...host, ...end, jobId: given.jobId })
      expect(await domains().list(app.id)).toMatchObject([
        { jobState: 'failed', jobError: 'it leads elsewhere' },
      ])
    })

    it('are listed by name and removed one by one, or with their app alone', async () => {
      const app = await addApp()
      const beside = await addApp(app.licenseId, 'blog')
      for (const each of ['c.example.com', 'a.example.com', 'b-a.example.com', 'b.example.com'])
        await domains().put(await domainOf(app, each), clock.now())
      await domains().put(await domainOf(beside, 'd.example.com'), clock.now())
      const names = async ({ id }: App) => (await domains().list(id)).map(({ domain }) => domain)
      expect(await names(app)).toEqual(['a.example.com', 'b-a.example.com', 'b.example.com', 'c.example.com'])
      expect(await domains().remove(app.licenseId, 'b.example.com')).toBe(true)
      expect(await domains().remove(app.licenseId, 'b.example.com')).toBe(false)
      expect(await names(app)).toEqual(['a.example.com', 'b-a.example.com', 'c.example.com'])
      await storage().apps.remove(app.id)
      expect([await names(app), await names(beside)]).toEqual([[], ['d.example.com']])
    })
  })
}
