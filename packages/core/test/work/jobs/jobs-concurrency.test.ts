// Races that need real locks: many connections to one PostgreSQL.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Job, ofLicense, PLATFORM, type Storage } from '@svc/core'
import { type JobsStore, LEASE_SECONDS } from '@svc/core/ports'
import { buildId, buildJob, postgresStorage } from '@svc/testing'
import { POSTGRES, SERVER } from '../../platform/storage/backends.ts'

const CONNECTIONS = 20

let storage: Storage
let jobs: JobsStore
let licenseId: string

beforeAll(async () => {
  storage = await postgresStorage(SERVER, CONNECTIONS)
  jobs = storage.jobs
})
afterAll(async () => {
  await storage[Symbol.asyncDispose]()
})

const enqueue = async (fields = {}) => (await jobs.enqueue(buildJob({ licenseId, ...fields }))).job
const claim = (fingerprint: string, claimKey?: string) =>
  jobs.lease({ licenseId, fingerprint, leaseSeconds: LEASE_SECONDS, claimKey })
const report = (job: Job, state: 'running' | 'succeeded' | 'failed' | 'pending', fingerprint = 'fp') => {
  const owner = { jobId: job.id, licenseId, fingerprint, attempt: undefined, leaseSeconds: LEASE_SECONDS }
  return jobs.report({ ...owner, state, exitCode: undefined, error: undefined })
}
/**
 * Runs `work` `count` times, with at most one call for each connection at once, since waiting for a
 * connection times out.
 */
async function inParallel<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const lane = async () => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index)
  }
  await Promise.all(Array.from({ length: Math.min(count, CONNECTIONS) }, lane))
  return results
}

/** Claims and ends jobs until the queue is empty; returns the ids of the jobs. */
async function drain(fingerprint: string): Promise<string[]> {
  const got: string[] = []
  for (let { job } = await claim(fingerprint); job !== undefined; job = (await claim(fingerprint)).job) {
    got.push(job.id)
    await report(job, 'succeeded', fingerprint)
  }
  return got
}

describe(`jobs under concurrency on ${POSTGRES}`, () => {
  it('hands none of 1,000 jobs out twice to 16 hosts in parallel, and forgets none', async () => {
    licenseId = buildId('lic')
    const made = await inParallel(1000, async () => (await enqueue()).id)
    const got = (await inParallel(16, (index) => drain(`host-${index}`))).flat()
    expect(got.length).toBe(1000)
    expect(new Set(got)).toEqual(new Set(made))
    expect(await jobs.list(ofLicense(licenseId), { state: 'succeeded', limit: 2000 })).toHaveLength(1000)
  }, 60_000)

  it('hands none of 300 lost jobs out twice, and counts each loss once', async () => {
    licenseId = buildId('lic')
    const past = new Date(Date.now() - 60_000)
    await inParallel(300, () => jobs.enqueue(buildJob({ licenseId }), past))
    const request = { licenseId, fingerprint: 'gone', leaseSeconds: 1, claimKey: undefined }
    await inParallel(300, () => jobs.lease(request, past))
    expect(await jobs.list(ofLicense(licenseId), { host: 'gone', limit: 1000 })).toHaveLength(300)
    const got = (await inParallel(16, (index) => drain(`host-${index}`))).flat()
    expect(new Set(got).size).toBe(300)
    const ended = await jobs.list(ofLicense(licenseId), { limit: 1000 })
    expect(
      ended.filter(({ attempt, lost, state }) => attempt === 2 && lost === 1 && state === 'succeeded'),
    ).toHaveLength(300)
    expect(got).toHaveLength(300)
  }, 60_000)

  it('jobs that share a serial key are held one at a time, in 300 rounds on 16 hosts', async () => {
    licenseId = buildId('lic')
    await inParallel(300, (index) => enqueue({ serialKey: `app:${index % 5}` }))
    const running = new Map<string, string>()
    const clashes: string[] = []
    const work = async (fingerprint: string) => {
      for (;;) {
        const { job } = await claim(fingerprint)
        if (job === undefined) {
          if ((await jobs.list(ofLicense(licenseId), { state: 'pending', limit: 1 })).length === 0) return
          continue
        }
        const key = job.serialKey ?? ''
        if (running.has(key)) clashes.push(`${job.id} beside ${running.get(key)}`)
        running.set(key, job.id)
        await report(job, 'running', fingerprint)
        running.delete(key)
        await report(job, 'succeeded', fingerprint)
      }
    }
    await inParallel(16, (index) => work(`host-${index}`))
    expect(clashes).toEqual([])
    expect(await jobs.list(ofLicense(licenseId), { state: 'succeeded', limit: 1000 })).toHaveLength(300)
  }, 60_000)

  it('a job enqueued as the holder of its key ends is never stranded, in 400 rounds', async () => {
    licenseId = buildId('lic')
    const stranded: string[] = []
    await inParallel(8, async (lane) => {
      const fingerprint = `host-${lane}`
      const key = { serialKey: `lane:${lane}`, target: fingerprint }
      for (let round = 0; round < 50; round += 1) {
        const first = await enqueue(key)
        await claim(fingerprint)
        const ending =
          round % 2 === 0 ? report(first, 'succeeded', fingerprint) : report(first, 'failed', fingerprint)
        const [second] = await Promise.all([enqueue(key), ending])
        const { job } = await claim(fingerprint)
        if (job?.id !== second.id) stranded.push(second.id)
        await report(second, 'succeeded', fingerprint)
      }
    })
    expect(stranded).toEqual([])
  }, 60_000)

  it('a pending holder cancelled while others are enqueued strands none of them', async () => {
    licenseId = buildId('lic')
    for (let round = 0; round < 60; round += 1) {
      const serialKey = `round:${round}`
      const first = await enqueue({ serialKey })
      const cancel = jobs.requestCancel(ofLicense(licenseId), {
        jobId: first.id,
        fingerprint: undefined,
        reason: '',
      })
      const [one, other] = await Promise.all([enqueue({ serialKey }), enqueue({ serialKey }), cancel])
      const got = [...(await drain('fp'))]
      expect(got.sort()).toEqual([one.id, other.id].sort())
    }
  }, 60_000)

  it('an end that meets the cancel of the one it would let go, and one that is enqueued, strands neither of the others', async () => {
    licenseId = buildId('lic')
    for (let round = 0; round < 60; round += 1) {
      const key = { serialKey: `line:${round}` }
      const first = await enqueue(key)
      const waiting = await enqueue(key)
      const ahead = await enqueue({ ...key, urgent: true })
      await claim('fp')
      const cancel = jobs.requestCancel(ofLicense(licenseId), {
        jobId: ahead.id,
        fingerprint: undefined,
        reason: '',
      })
      const [last] = await Promise.all([enqueue(key), cancel, report(first, 'succeeded')])
      expect((await drain('fp')).sort()).toEqual([waiting.id, last.id].sort())
    }
  }, 60_000)

  it('a cancel that meets the end finds either a job to stop or a finished one, never half of each', async () => {
    licenseId = buildId('lic')
    for (let round = 0; round < 100; round += 1) {
      const made = await enqueue()
      const { job = made } = await claim('fp')
      const cancelling = jobs.requestCancel(ofLicense(licenseId), {
        jobId: job.id,
        fingerprint: undefined,
        reason: 'x',
      })
      const [outcome, cancelled] = await Promise.all([report(job, 'succeeded'), cancelling])
      expect(outcome).toMatchObject({ effect: 'finished', job: { state: 'succeeded' } })
      expect(['requested', 'none']).toContain(cancelled?.effect)
      const stored = await jobs.get(PLATFORM, job.id)
      expect(stored).toMatchObject({ state: 'succeeded' })
      expect(stored?.cancel === undefined).toBe(cancelled?.effect === 'none')
    }
  }, 60_000)

  it('a cancel that meets the claim is either the end or a request, and the job is not handed out after it', async () => {
    licenseId = buildId('lic')
    for (let round = 0; round < 100; round += 1) {
      const job = await enqueue()
      const cancelling = jobs.requestCancel(ofLicense(licenseId), {
        jobId: job.id,
        fingerprint: undefined,
        reason: 'x',
      })
      const [claimed, cancelled] = await Promise.all([claim('fp'), cancelling])
      expect(cancelled?.effect).toBe(claimed.job === undefined ? 'ended' : 'requested')
      if (claimed.job !== undefined) await report(claimed.job, 'pending')
      expect(await jobs.get(PLATFORM, job.id)).toMatchObject({ state: 'failed' })
    }
  }, 60_000)

  it('of two ends that meet one is written and both are heard', async () => {
    licenseId = buildId('lic')
    for (let round = 0; round < 100; round += 1) {
      const made = await enqueue()
      const { job = made } = await claim('fp')
      const outcomes = await Promise.all([report(job, 'succeeded'), report(job, 'failed')])
      expect(outcomes.map((outcome) => outcome?.effect).sort()).toEqual(['finished', 'ignored'])
      const first = outcomes.find((outcome) => outcome?.effect === 'finished')
      expect(await jobs.get(PLATFORM, job.id)).toMatchObject({ ...first?.job })
    }
  }, 60_000)

  it('one claim key sent many times at once gets one job, in 40 rounds', async () => {
    licenseId = buildId('lic')
    await inParallel(200, () => enqueue())
    for (let round = 0; round < 40; round += 1) {
      const answers = await inParallel(5, () => claim('fp', `claim-${round}`))
      expect(new Set(answers.map(({ job }) => job?.id)).size).toBe(1)
      expect(answers.filter(({ how }) => how === 'new')).toHaveLength(1)
    }
    expect(await jobs.list(ofLicense(licenseId), { state: 'claimed', limit: 1000 })).toHaveLength(40)
  }, 60_000)
})
