import type { Storage } from '@svc/core'
import { appDatabaseId, type NewAppDatabase } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildJob } from '../jobs/build-job.ts'

/** Contract suite of the storage of the databases of hosts. */
export function appDatabasesStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`app databases store on ${name}`, () => {
    const storage = openedStorage(open)
    const clock = new FakeClock()
    const databases = () => storage().appDatabases
    const databaseOf = async (licenseId: string, called: string, fields: Partial<NewAppDatabase> = {}) => {
      const { job } = await storage().jobs.enqueue(buildJob({ licenseId, kind: 'db', target: 'fp-1' }))
      const row = { licenseId, name: called, engine: 'postgres' as const, links: [], jobId: job.id }
      return { ...row, op: 'create' as const, madeBy: 'cli:ann', ...fields }
    }

    it('a database has the links and the job that it was stored with', async () => {
      const licenseId = buildId('lic')
      const links = [{ app: 'shop', as: 'DATABASE_URL' }]
      const given = await databaseOf(licenseId, 'shop', { engine: 'valkey', links, op: 'link' })
      await databases().put(given, clock.now())
      const found = await databases().find(licenseId, 'shop')
      expect(found).toEqual({
        ...given,
        id: appDatabaseId(licenseId, 'shop'),
        ...{ createdAt: clock.now(), updatedAt: clock.now() },
        ...{ jobState: 'pending', jobError: undefined, jobTarget: 'fp-1' },
      })
      expect(await databases().list(licenseId)).toEqual([found])
      expect(await databases().find(buildId('lic'), 'shop')).toBeUndefined()
    })

    it('follows the repeat of its newest job', async () => {
      const licenseId = buildId('lic')
      const [row, other] = [await databaseOf(licenseId, 'a'), await databaseOf(licenseId, 'b')]
      for (const each of [row, other]) await databases().put(each, clock.now())
      const { job } = await storage().jobs.enqueue(
        buildJob({ licenseId, kind: 'db', target: 'fp-1', retryOf: row.jobId }),
      )
      expect(await databases().list(licenseId)).toMatchObject([{ jobId: job.id }, { jobId: other.jobId }])
    })

    it('a further put changes it, and keeps the time when it was first stored', async () => {
      const licenseId = buildId('lic')
      await databases().put(await databaseOf(licenseId, 'shop'), clock.now())
      const first = clock.now()
      clock.advance({ seconds: 1 })
      const links = [{ app: 'blog', as: 'URL' }]
      const later = await databaseOf(licenseId, 'shop', { links, op: 'link', madeBy: 'cli:bob' })
      await databases().put(later, clock.now())
      expect(await databases().list(licenseId)).toEqual([
        expect.objectContaining({ ...later, createdAt: first, updatedAt: clock.now() }),
      ])
    })

    it('tells how its job ended', async () => {
      const licenseId = buildId('lic')
      const given = await databaseOf(licenseId, 'shop')
      await databases().put(given, clock.now())
      const host = { licenseId, fingerprint: 'fp-1', leaseSeconds: 60 }
      await storage().jobs.lease({ ...host, claimKey: undefined, kinds: ['db'] })
      const end = { state: 'failed', exitCode: 1, error: 'no PostgreSQL', attempt: undefined } as const
      await storage().jobs.report({ ...host, ...end, jobId: given.jobId })
      expect(await databases().list(licenseId)).toMatchObject([
        { jobState: 'failed', jobError: 'no PostgreSQL' },
      ])
    })

    it('are listed by name, each license its own, and removed one by one', async () => {
      const [licenseId, other] = [buildId('lic'), buildId('lic')]
      for (const each of ['c', 'a', 'b-a', 'b_a', 'b'])
        await databases().put(await databaseOf(licenseId, each), clock.now())
      await databases().put(await databaseOf(other, 'a'), clock.now())
      const names = async (of: string) => (await databases().list(of)).map((each) => each.name)
      expect(await names(licenseId)).toEqual(['a', 'b', 'b-a', 'b_a', 'c'])
      expect(await databases().remove(licenseId, 'a')).toBe(true)
      expect(await databases().remove(licenseId, 'a')).toBe(false)
      expect([await names(licenseId), await names(other)]).toEqual([['b', 'b-a', 'b_a', 'c'], ['a']])
    })
  })
}
