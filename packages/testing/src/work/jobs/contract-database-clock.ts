import { ofLicense } from '@svc/core'
import { LEASE_SECONDS } from '@svc/core/ports'
import { expect, it } from '../../runner.ts'
import { buildJob } from './build-job.ts'
import { HOST, type Scene } from './jobs-scene.ts'

const NEAR_MS = 60_000

/** Tests without `now`, when the database's clock counts as in production. */
export function databaseClockContract(scene: Scene): void {
  const lease = () => {
    const { jobs, licenseId } = scene()
    return jobs.lease({ licenseId, fingerprint: HOST, leaseSeconds: LEASE_SECONDS, claimKey: undefined })
  }
  const databaseNow = async () => (await scene().storage.health()).now.getTime()

  it('a job goes from its making to its end', async () => {
    const { jobs, licenseId } = scene()
    const before = await databaseNow()
    const { job } = await jobs.enqueue(buildJob({ licenseId }))
    const { job: claimed } = await lease()
    expect(claimed?.id).toBe(job.id)
    const owner = { ...scene().owner(job), leaseSeconds: LEASE_SECONDS }
    await jobs.renew([owner], LEASE_SECONDS)
    const lines = [{ ts: 1, line: 'x' }]
    expect(await jobs.appendLogs({ ...owner, lines, offset: 0, idempotencyKey: undefined })).toMatchObject({
      stored: 1,
    })
    const word = { state: 'succeeded', exitCode: 0, error: undefined } as const
    const outcome = await jobs.report({ ...owner, ...word })
    for (const at of [job.createdAt, claimed?.claimedAt, outcome?.job.finishedAt]) {
      expect(Math.abs((at?.getTime() ?? 0) - before)).toBeLessThan(NEAR_MS)
    }
    expect(claimed?.availableAt?.getTime()).toBe((claimed?.claimedAt?.getTime() ?? 0) + LEASE_SECONDS * 1000)
  })

  it('a start in the future is waited for, one in the past is not', async () => {
    const { jobs, licenseId } = scene()
    const at = await databaseNow()
    await jobs.enqueue(buildJob({ licenseId, runAt: new Date(at + NEAR_MS) }))
    const { job } = await jobs.enqueue(buildJob({ licenseId, runAt: new Date(at - NEAR_MS) }))
    expect((await lease()).job?.id).toBe(job.id)
    expect((await lease()).job).toBeUndefined()
  })

  it('jobs are handed out in the order of their making', async () => {
    const { jobs, licenseId } = scene()
    const made = []
    for (let count = 0; count < 5; count += 1) made.push((await jobs.enqueue(buildJob({ licenseId }))).job.id)
    const got = []
    for (let count = 0; count < 5; count += 1) got.push((await lease()).job?.id)
    expect(got).toEqual(made)
  })

  it('a cancel and a sweep leave a fresh lease alone', async () => {
    const { jobs, licenseId } = scene()
    const { job } = await jobs.enqueue(buildJob({ licenseId, maxAttempts: 1 }))
    await lease()
    await jobs.requestCancel(ofLicense(licenseId), { jobId: job.id, fingerprint: HOST, reason: 'asked' })
    const { ended } = await jobs.sweep()
    expect(ended.map(({ id }) => id)).not.toContain(job.id)
    expect(await scene().stored(job)).toMatchObject({ state: 'claimed', cancel: { reason: 'asked' } })
  })
}
