// A write that arrives while another host is taking the job over waits for the outcome, and is then refused.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Job, Storage } from '@svc/core'
import { PLATFORM } from '@svc/core'
import { LEASE_SECONDS, type Stores } from '@svc/core/ports'
import { buildId, buildJob, postgresStorage } from '@svc/testing'
import { POSTGRES, SERVER } from '../../platform/storage/backends.ts'

// Round trips that give the late write time to reach the lock; it is refused without them as well. A busy
// machine makes fewer, so that the wait stays below the lock timeout of 2 s.
const ROUND_TRIPS = 100
const MOST_MS = 500

let storage: Storage
let licenseId: string

beforeAll(async () => {
  storage = await postgresStorage(SERVER)
})
afterAll(async () => {
  await storage[Symbol.asyncDispose]()
})

const request = (fingerprint: string, claimKey?: string) => ({
  licenseId,
  fingerprint,
  leaseSeconds: LEASE_SECONDS,
  claimKey,
})

const HOUR_MS = 3_600_000
const hoursFromNow = (hours: number) => new Date(Date.now() + hours * HOUR_MS)

async function heldJob(since: Date, claimKey?: string): Promise<Job> {
  licenseId = buildId('lic')
  const { job } = await storage.jobs.enqueue(buildJob({ licenseId }), since)
  await storage.jobs.lease(request('old', claimKey), since)
  return job
}
const lostJob = (claimKey?: string) => heldJob(hoursFromNow(-1), claimKey)

/** Takes the job over in a transaction that stays open while `write` arrives. */
const whileTakenOver = <T>(write: () => Promise<T>, at = hoursFromNow(0)): Promise<T> =>
  storage
    .transaction(async ({ jobs }: Stores) => {
      expect((await jobs.lease(request('new'), at)).how).toBe('reclaimed')
      const late = write()
      const end = performance.now() + MOST_MS
      for (let count = 0; count < ROUND_TRIPS && performance.now() < end; count += 1) {
        await storage.tenants.list(PLATFORM)
      }
      return { late }
    })
    .then(({ late }) => late)

describe(`late writes on ${POSTGRES}`, () => {
  const owner = (job: Job) => ({ ...request('old'), jobId: job.id, attempt: undefined })

  it.each(['running', 'succeeded', 'pending'] as const)(
    'a late %s is refused and changes nothing',
    async (state) => {
      const job = await lostJob()
      const write = { ...owner(job), state, exitCode: undefined, error: undefined }
      expect(await whileTakenOver(() => storage.jobs.report(write))).toBeUndefined()
      expect(await storage.jobs.get(PLATFORM, job.id)).toMatchObject({
        state: 'claimed',
        claimedBy: 'new',
        attempt: 2,
      })
    },
  )

  it.each([
    ['that renew the lease', -1, 0],
    ['that have no lease to renew', 0, 1],
  ])('late lines %s are refused and not stored', async (_, since, takenAt) => {
    const job = await heldJob(hoursFromNow(since))
    const lines = [{ ts: 1, line: 'late' }]
    const write = { ...owner(job), lines, offset: undefined, idempotencyKey: undefined }
    const late = await whileTakenOver(() => storage.jobs.appendLogs(write), hoursFromNow(takenAt))
    expect(late).toBeUndefined()
    expect(await storage.jobs.logLengths(job.id)).toEqual([])
  })

  it('a late renewal does not lengthen the new lease', async () => {
    const job = await lostJob()
    await whileTakenOver(() => storage.jobs.renew([owner(job)], 10 * LEASE_SECONDS))
    const stored = await storage.jobs.get(PLATFORM, job.id)
    expect(stored?.availableAt?.getTime()).toBe((stored?.claimedAt?.getTime() ?? 0) + LEASE_SECONDS * 1000)
  })

  // The statement that takes over states when its lease began, but may have waited since then for a locked
  // table.
  it.each([
    ['just now', 0],
    ['three minutes ago', -1 / 20],
  ])(
    'a late repetition of a claim is not told of the job, which another took over %s',
    async (_, takenAt) => {
      const job = await lostJob('key')
      const repeat = () => storage.jobs.lease(request('old', 'key'))
      expect(await whileTakenOver(repeat, hoursFromNow(takenAt))).toMatchObject({ job: undefined })
      const stored = await storage.jobs.get(PLATFORM, job.id)
      expect(stored).toMatchObject({ state: 'claimed', claimedBy: 'new', attempt: 2 })
      expect(stored?.availableAt?.getTime()).toBe((stored?.claimedAt?.getTime() ?? 0) + LEASE_SECONDS * 1000)
    },
  )

  it('a take-over that is undone leaves the job to its owner', async () => {
    const job = await lostJob()
    const undone = storage.transaction(async ({ jobs }) => {
      await jobs.lease(request('new'))
      throw new Error('on purpose')
    })
    await expect(undone).rejects.toThrow('on purpose')
    const word = { state: 'succeeded', exitCode: 0, error: undefined } as const
    expect(await storage.jobs.report({ ...owner(job), ...word })).toMatchObject({ effect: 'finished' })
    expect(await storage.jobs.get(PLATFORM, job.id)).toMatchObject({ attempt: 1, state: 'succeeded' })
  })
})
