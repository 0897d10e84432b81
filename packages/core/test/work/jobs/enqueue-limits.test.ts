// One license's jobs in the queue are limited, and the others' are not.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { type TestPlane, testPlane } from '@svc/testing'

let test: TestPlane
let mine: string
let theirs: string
const planeWith = async (env: Record<string, string>) => {
  test = testPlane({ env })
  mine = (await test.license('mine')).id
  theirs = (await test.license('theirs')).id
}
afterEach(() => test[Symbol.asyncDispose]())

const enqueue = (licenseId: string) => test.plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })
const end = async (licenseId: string) => {
  const fingerprint = 'fp-1'
  const { job } = await test.plane.jobs.claim({ licenseId, fingerprint, claimKey: undefined })
  const write = { jobId: job?.id ?? '', licenseId, fingerprint, attempt: undefined, error: undefined }
  await test.plane.jobs.report({ ...write, state: 'succeeded', exitCode: 0 })
  return write.jobId
}

describe('the jobs of a license in a minute', () => {
  beforeEach(() => planeWith({ SERVICE_JOBS_PER_MINUTE: '3' }))

  it('are three, and again three in the next; another license has its own', async () => {
    for (let count = 0; count < 3; count += 1) await enqueue(mine)
    await expect(enqueue(mine)).rejects.toMatchObject({
      code: 'rate-limited',
      data: { retryAfterSeconds: 60, detail: expect.stringContaining('SERVICE_JOBS_PER_MINUTE') },
    })
    await enqueue(theirs)
    test.clock.advance({ seconds: 60 })
    await enqueue(mine)
  })

  it('count those that are done again', async () => {
    await enqueue(mine)
    const ended = await end(mine)
    await test.plane.jobs.retry(PLATFORM, ended)
    await test.plane.jobs.retry(PLATFORM, ended)
    await expect(test.plane.jobs.retry(PLATFORM, ended)).rejects.toMatchObject({ code: 'rate-limited' })
  })
})

describe('the jobs of a license that wait', () => {
  beforeEach(() => planeWith({ SERVICE_JOBS_PENDING: '3' }))

  it('are three; each that a host takes makes room for one, and another license has its own', async () => {
    for (let count = 0; count < 3; count += 1) await enqueue(mine)
    const full = {
      code: 'rate-limited',
      data: { detail: expect.stringContaining('3 jobs of this license wait') },
    }
    await expect(enqueue(mine)).rejects.toMatchObject(full)
    await expect(enqueue(mine)).rejects.toMatchObject(full)
    await enqueue(theirs)
    await end(mine)
    await enqueue(mine)
    await expect(enqueue(mine)).rejects.toMatchObject(full)
    expect(await test.storage.jobs.pending(mine, 9)).toBe(3)
  })

  it('are counted when the room that was found is used up, not for each', async () => {
    const { jobs } = test.storage
    let counted = 0
    const pending = jobs.pending.bind(jobs)
    jobs.pending = (...given) => {
      counted += 1
      return pending(...given)
    }
    for (let count = 0; count < 3; count += 1) await enqueue(mine)
    expect(counted).toBe(1)
    await expect(enqueue(mine)).rejects.toMatchObject({ code: 'rate-limited' })
    expect(counted).toBe(2)
  })
})
