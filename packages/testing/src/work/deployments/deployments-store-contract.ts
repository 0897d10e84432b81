import { type JobState, ofLicense, PLATFORM, type Storage } from '@svc/core'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildJob } from '../jobs/build-job.ts'
import { buildDeployment } from './build-deployment.ts'

const FINGERPRINT = 'fp-1'

/** Contract suite of stores of deployments (spec, Job: a job's status is mirrored onto its deployment). */
export function deploymentsStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`deployments store on ${name}`, () => {
    const storage = openedStorage(open)
    const now = new FakeClock().now()
    const deployments = () => storage().deployments

    async function deployed(licenseId = buildId('lic'), app = 'shop') {
      const { job } = await storage().jobs.enqueue(buildJob({ licenseId, kind: 'deploy' }), now)
      const made = buildDeployment({ licenseId, jobId: job.id, app })
      await deployments().add(made, now)
      return made
    }

    it('keeps everything that a deployment is made of', async () => {
      const { job } = await storage().jobs.enqueue(buildJob({ target: 'fp-1' }), now)
      const source = {
        type: 'git',
        repo_url: 'https://example.test/shop.git',
        sha: 'a'.repeat(40),
        depth: [1, {}],
      }
      const made = buildDeployment({ jobId: job.id, source, madeBy: 'ann@svc.example' })
      await deployments().add(made, now)
      expect(await deployments().get(made.id)).toEqual({
        ...made,
        ...{ state: 'pending', target: 'fp-1', createdAt: now },
      })
    })

    it('finds the newest of each of some apps, and of no others', async () => {
      const [one, other] = [buildId('lic'), buildId('lic')]
      await deployed(one)
      const shop = await deployed(one)
      const blog = await deployed(one, 'blog')
      const theirs = await deployed(other)
      await deployed(other, 'blog')
      const asked = [
        ['shop', one],
        ['blog', one],
        ['shop', other],
        ['none', one],
      ] as const
      const found = await deployments().newestOf(asked.map(([app, licenseId]) => ({ licenseId, app })))
      expect(found.map(({ id }) => id).sort()).toEqual([shop.id, blog.id, theirs.id].sort())
      expect(found.find(({ id }) => id === shop.id)).toEqual(await deployments().get(shop.id))
      expect(await deployments().newestOf([])).toEqual([])
    })

    it('its state is its job’s, at every step', async () => {
      const licenseId = buildId('lic')
      const { id, jobId } = await deployed(licenseId)
      const seen = [(await deployments().get(id))?.state]
      const owner = { jobId, licenseId, fingerprint: FINGERPRINT, attempt: undefined, leaseSeconds: 300 }
      await storage().jobs.lease({ ...owner, claimKey: undefined }, now)
      seen.push((await deployments().get(id))?.state)
      for (const state of ['running', 'pending'] satisfies JobState[]) {
        await storage().jobs.report({ ...owner, state, exitCode: undefined, error: undefined }, now)
        seen.push((await deployments().list({ licenseId, limit: 1 }))[0]?.state)
      }
      await storage().jobs.requestCancel(
        ofLicense(licenseId),
        { jobId, fingerprint: undefined, reason: '' },
        now,
      )
      seen.push((await deployments().get(id))?.state)
      expect(seen).toEqual(['pending', 'claimed', 'running', 'pending', 'failed'])
    })

    it('lists by license and app, newest first, at most so many', async () => {
      const [licenseId, other] = [buildId('lic'), buildId('lic')]
      const [first, blog, last] = [
        await deployed(licenseId),
        await deployed(licenseId, 'blog'),
        await deployed(licenseId),
      ]
      const foreign = await deployed(other)
      const ids = async (filter: { licenseId?: string; app?: string; limit: number }) =>
        (await deployments().list(filter)).map(({ id }) => id)
      expect(await ids({ licenseId, limit: 10 })).toEqual([last.id, blog.id, first.id])
      expect(await ids({ licenseId, limit: 1 })).toEqual([last.id])
      expect(await ids({ licenseId, app: 'shop', limit: 10 })).toEqual([last.id, first.id])
      expect(await ids({ limit: 2 })).toEqual([foreign.id, last.id])
      expect(await ids({ licenseId: buildId('lic'), limit: 10 })).toEqual([])
    })

    it('an unknown deployment is none', async () => {
      expect(await deployments().get(buildId('dep'))).toBeUndefined()
    })

    it('a deployment has a job of its own', async () => {
      await expect(deployments().add(buildDeployment({ jobId: buildId('job') }))).rejects.toThrow()
      const { jobId } = await deployed()
      await expect(deployments().add(buildDeployment({ jobId }))).rejects.toThrow()
    })

    it('job and deployment are stored together or not at all', async () => {
      const job = buildJob({ licenseId: buildId('lic') })
      const made = buildDeployment({ jobId: job.id })
      const work = storage().transaction(async (stores) => {
        await stores.jobs.enqueue(job, now)
        await stores.deployments.add(made, now)
        throw new Error('on purpose')
      })
      await expect(work).rejects.toThrow('on purpose')
      expect(await deployments().get(made.id)).toBeUndefined()
      expect(await storage().jobs.get(PLATFORM, job.id)).toBeUndefined()
      await storage().transaction(async (stores) => {
        await stores.jobs.enqueue(job, now)
        await stores.deployments.add(made, now)
      })
      expect(await deployments().get(made.id)).toMatchObject({ state: 'pending' })
    })
  })
}
