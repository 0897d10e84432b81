import type { Job } from '@svc/core'
import type { Owner } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { expect, it } from '../../runner.ts'
import { HOST, type JobsScene, OTHER, type Scene } from './jobs-scene.ts'

/** Every way of not being the owner, as the fields that differ from the true owner's. */
const STRANGERS = [
  ['another host', { fingerprint: OTHER }],
  ['another license', { licenseId: buildId('lic') }],
  ['an earlier attempt', { attempt: 0 }],
  ['a later attempt', { attempt: 2 }],
  ['an attempt that no number of 32 bits holds', { attempt: 2 ** 40 }],
  ['another job', { jobId: buildId('job') }],
  ['a job id that is none', { jobId: '../1e3' }],
] as const satisfies readonly (readonly [string, Partial<Owner>])[]

async function expectRefused(scene: JobsScene, job: Job, stranger: Partial<Owner>): Promise<void> {
  const before = await scene.stored(job)
  scene.clock.advance({ seconds: 100 })
  for (const state of ['running', 'succeeded', 'failed', 'pending', 'claimed'] as const) {
    expect(await scene.report(job, state, stranger)).toBeUndefined()
  }
  expect(await scene.append(job, ['mine'], stranger)).toBeUndefined()
  await scene.jobs.renew([scene.owner(job, stranger)], 300, scene.now)
  expect(await scene.stored(job)).toEqual(before)
  expect(await scene.jobs.logLengths(job.id)).toEqual([])
}

/** Tests that only the owner's writes change a job (spec, States: late writes are rejected by design). */
export function fencingContract(scene: Scene): void {
  it.each(STRANGERS)('refuses %s and changes nothing', async (_, stranger) => {
    await expectRefused(scene(), await scene().held(), stranger)
  })

  it.each(STRANGERS)('refuses %s after the end as well', async (_, stranger) => {
    const job = await scene().held()
    await scene().report(job, 'succeeded')
    await expectRefused(scene(), job, stranger)
  })

  it('nobody owns a job that waits', async () => {
    await expectRefused(scene(), await scene().enqueue(), {})
  })

  it('who gave a job back owns it no longer', async () => {
    const job = await scene().held()
    await scene().report(job, 'pending')
    await expectRefused(scene(), job, {})
  })

  it('who lost the lease to another host is refused from then on', async () => {
    const job = await scene().held()
    scene().clock.advance({ seconds: 300 })
    await scene().claim(OTHER)
    await expectRefused(scene(), job, {})
    expect(await scene().report(job, 'running', { fingerprint: OTHER, attempt: 2 })).toBeDefined()
  })

  it('an older process of the same host is told by its attempt', async () => {
    const job = await scene().held()
    scene().clock.advance({ seconds: 300 })
    await scene().claim(HOST)
    await expectRefused(scene(), job, { attempt: 1 })
    expect(await scene().report(job, 'running', { attempt: 2 })).toMatchObject({ effect: 'renewed' })
  })

  it('who lost a job for good is refused from then on', async () => {
    const job = await scene().held({ maxAttempts: 1 })
    scene().clock.advance({ seconds: 300 })
    await scene().sweep()
    await expectRefused(scene(), job, {})
  })

  it('an owner may leave the attempt out', async () => {
    const job = await scene().held()
    expect(await scene().report(job, 'running')).toBeDefined()
    expect(await scene().append(job, ['x'])).toBeDefined()
  })
}
