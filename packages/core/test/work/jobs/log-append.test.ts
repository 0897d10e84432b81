import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { buildLicense, FakeClock, memoryStorage, type TestPlane, testPlane } from '@svc/testing'

const LIMIT = 64 * 1024
const licenseId = 'lic_a'

let test: TestPlane
/** The number of lines in each write to the store, in order. */
let sent: number[]

beforeEach(async () => {
  const clock = new FakeClock()
  const memory = memoryStorage(clock)
  sent = []
  const jobs: typeof memory.jobs = {
    ...memory.jobs,
    appendLogs: (write, now) => {
      sent.push(write.lines.length)
      return memory.jobs.appendLogs(write, now)
    },
  }
  test = testPlane({ clock, storage: { ...memory, jobs } })
  await memory.licenses.add(buildLicense({ id: licenseId }))
})
afterEach(() => test[Symbol.asyncDispose]())

async function held(): Promise<string> {
  await test.plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })
  const { job } = await test.plane.jobs.claim({ licenseId, fingerprint: 'fp-1', claimKey: undefined })
  return job?.id ?? ''
}

const append = (jobId: string, texts: readonly string[], fields: object = {}) =>
  test.plane.jobs.appendLogs({
    jobId,
    licenseId,
    fingerprint: 'fp-1',
    attempt: 1,
    offset: 0,
    idempotencyKey: 'key',
    lines: texts.map((line) => ({ ts: 0, line })),
    ...fields,
  })
const long = (chars: number) => ['x'.repeat(chars - 1), 'y']

describe('lines of a job', () => {
  it('are worked on at once up to 64 Ki characters, and beyond them only for who owns the job', async () => {
    const jobId = await held()
    await append(jobId, long(LIMIT))
    expect(sent).toEqual([2])
    await append(jobId, long(LIMIT + 1), { offset: 2, idempotencyKey: 'next' })
    expect(sent).toEqual([2, 0, 2])
  })

  it.each<[string, object]>([
    ['of nobody', { jobId: 'job_none' }],
    ['of another license', { licenseId: 'lic_b' }],
    ['that another host holds', { fingerprint: 'fp-2' }],
    ['of another attempt', { attempt: 2 }],
  ])('are not looked at for a job %s, however many they are', async (_, fields) => {
    const jobId = await held()
    for (const texts of [long(LIMIT), long(LIMIT + 1)]) {
      await expect(append(jobId, texts, fields)).rejects.toMatchObject({ code: 'job-not-found' })
    }
    // The small request was sent whole; of the large one only the ownership of the job was checked.
    expect(sent).toEqual([2, 0])
    expect(await test.plane.metrics.exposition()).toMatch(
      /^svc_job_fenced_writes_total\{.*route="logs".*\} 2$/m,
    )
  })

  it('count by those that are taken: what comes behind a thousand is looked at by nobody', async () => {
    const jobId = await held()
    const texts = [...Array.from({ length: 1000 }, () => 'x'), 'y'.repeat(2 * LIMIT)]
    expect(await append(jobId, texts)).toMatchObject({ accepted: 1000, stored: 1000 })
    expect(sent).toEqual([1000])
  })

  it('that come again under their key get the first answer, also when they are many', async () => {
    const jobId = await held()
    const first = await append(jobId, long(LIMIT + 1))
    expect(first).toMatchObject({ accepted: 2, stored: 2, next: 2 })
    expect(await append(jobId, long(LIMIT + 1), { offset: undefined })).toMatchObject({
      accepted: 2,
      stored: 0,
      next: 2,
    })
    expect(await test.plane.jobs.logLength(jobId)).toBe(2)
  })
})
