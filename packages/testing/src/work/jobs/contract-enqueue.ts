import { ofLicense, PLATFORM } from '@svc/core'
import type { NewJob } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { expect, it } from '../../runner.ts'
import { buildJob } from './build-job.ts'
import type { Scene } from './jobs-scene.ts'

const PAYLOAD = { app: 'shop', source: { type: 'image', image: 'shop:ü1' }, ports: [80, 443], env: { A: '' } }

const FULL: Partial<NewJob> = {
  kind: 'deploy',
  payload: PAYLOAD,
  sealedEnv: 'v1:a',
  target: 'host-a',
  urgent: true,
  app: 'shop',
  serialKey: 'app:shop',
  dedupeKey: 'push-1',
  deploymentId: 'dep_1',
  retryOf: 'job_0',
  maxAttempts: 5,
  timeoutSeconds: 60,
}

/** Tests of the transitions that create a job. */
export function enqueueContract(scene: Scene): void {
  it('keeps everything that a job is made of', async () => {
    const { jobs, licenseId, now } = scene()
    const made = buildJob({ ...FULL, licenseId })
    const { job, created } = await jobs.enqueue(made, now)
    const { runAt: _, ...fields } = made
    expect(created).toBe(true)
    expect(job).toEqual({
      ...fields,
      state: 'pending',
      createdAt: now,
      availableAt: now,
      attempt: 0,
      lost: 0,
    })
    expect(await jobs.get(PLATFORM, job.id)).toEqual(job)
  })

  it('a job is due at once unless it names a start', async () => {
    const { now } = scene()
    expect((await scene().enqueue()).availableAt).toEqual(now)
    const later = scene().in(3600)
    expect((await scene().enqueue({ runAt: later })).availableAt).toEqual(later)
  })

  it('a repeated dedupe key returns the unfinished job and stores nothing', async () => {
    const { jobs, licenseId, now } = scene()
    const first = await scene().enqueue({ dedupeKey: 'nightly' })
    const again = await jobs.enqueue(buildJob({ licenseId, dedupeKey: 'nightly', kind: 'stop' }), now)
    expect(again).toEqual({ created: false, job: first })
    expect(await jobs.list(ofLicense(licenseId), { limit: 10 })).toHaveLength(1)
  })

  it('a dedupe key is taken while its job is held, and free once it has ended', async () => {
    const first = await scene().held({ dedupeKey: 'nightly' })
    expect((await scene().enqueue({ dedupeKey: 'nightly' })).id).toBe(first.id)
    await scene().report(first, 'succeeded')
    expect((await scene().enqueue({ dedupeKey: 'nightly' })).id).not.toBe(first.id)
  })

  it('a dedupe key of one license means nothing to another', async () => {
    const first = await scene().enqueue({ dedupeKey: 'nightly' })
    const other = await scene().enqueue({ dedupeKey: 'nightly', licenseId: buildId('lic') })
    expect(other.id).not.toBe(first.id)
  })

  it('of equal requests at one instant one makes the job', async () => {
    const { jobs, licenseId, now } = scene()
    const requests = Array.from({ length: 8 }, () => buildJob({ licenseId, dedupeKey: 'once' }))
    const answers = await Promise.all(requests.map((job) => jobs.enqueue(job, now)))
    expect(answers.filter(({ created }) => created)).toHaveLength(1)
    expect(new Set(answers.map(({ job }) => job.id)).size).toBe(1)
  })

  it('refuses a second job of the same id', async () => {
    const { id } = await scene().enqueue()
    await expect(scene().enqueue({ id })).rejects.toThrow()
    expect(await scene().claimedId()).toBe(id)
  })

  it('a transaction that fails leaves no job', async () => {
    const { storage, licenseId, now } = scene()
    const job = buildJob({ licenseId })
    const work = storage.transaction(async (stores) => {
      await stores.jobs.enqueue(job, now)
      throw new Error('on purpose')
    })
    await expect(work).rejects.toThrow('on purpose')
    expect(await storage.jobs.get(PLATFORM, job.id)).toBeUndefined()
    expect(await scene().claimedId()).toBeUndefined()
  })

  it('a transaction sees what it wrote before others do', async () => {
    const { storage, licenseId, now } = scene()
    const job = buildJob({ licenseId })
    const seen = await storage.transaction(async (stores) => {
      await stores.jobs.enqueue(job, now)
      return stores.jobs.get(PLATFORM, job.id)
    })
    expect(seen?.id).toBe(job.id)
    expect(await storage.jobs.get(PLATFORM, job.id)).toEqual(seen)
  })
}
