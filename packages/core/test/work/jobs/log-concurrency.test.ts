// Tests of writers of one log on many connections.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Job, Storage } from '@svc/core'
import { type JobsStore, LEASE_SECONDS } from '@svc/core/ports'
import { buildId, buildJob, postgresStorage } from '@svc/testing'
import { POSTGRES, SERVER } from '../../platform/storage/backends.ts'

let storage: Storage
let jobs: JobsStore
let licenseId: string

beforeAll(async () => {
  storage = await postgresStorage(SERVER)
  jobs = storage.jobs
})
afterAll(async () => {
  await storage[Symbol.asyncDispose]()
})

const leaseOf = (fingerprint: string) => ({
  licenseId,
  fingerprint,
  leaseSeconds: LEASE_SECONDS,
  claimKey: undefined,
})

async function heldJob(fingerprint: string, now?: Date): Promise<Job> {
  licenseId = buildId('lic')
  const { job } = await jobs.enqueue(buildJob({ licenseId }), now)
  await jobs.lease(leaseOf(fingerprint), now)
  return job
}

const append = (
  job: Job,
  fingerprint: string,
  texts: readonly string[],
  fields: { offset?: number; attempt?: number } = {},
) =>
  jobs.appendLogs({
    ...leaseOf(fingerprint),
    jobId: job.id,
    lines: texts.map((line, ts) => ({ ts, line })),
    attempt: fields.attempt,
    offset: fields.offset,
    idempotencyKey: undefined,
  })

describe(`log writers on ${POSTGRES}`, () => {
  it('two writers at once: every acknowledged line is kept once, in the order of its writer', async () => {
    const job = await heldJob('fp')
    const write = async (writer: string) => {
      for (let count = 0; count < 150; count += 1) {
        const texts = [`${writer} ${2 * count}`, `${writer} ${2 * count + 1}`]
        expect(await append(job, 'fp', texts)).toMatchObject({ accepted: 2, stored: 2 })
      }
    }
    await Promise.all([write('a'), write('b')])
    const lines = (await jobs.logs(job.id, 0, 10_000)).map(({ line }) => line)
    expect(lines).toHaveLength(600)
    for (const writer of ['a', 'b']) {
      const own = lines.filter((line) => line.startsWith(writer))
      expect(own).toEqual(Array.from({ length: 300 }, (_, index) => `${writer} ${index}`))
    }
    expect(await jobs.logLengths(job.id)).toEqual([{ attempt: 1, lines: 600 }])
  }, 60_000)

  it('two senders of one stream, each from where the log stands, store it once', async () => {
    const job = await heldJob('fp')
    const stream = Array.from({ length: 400 }, (_, index) => `line ${index}`)
    const send = async (size: number) => {
      for (let next = 0; next < stream.length; ) {
        const answer = await append(job, 'fp', stream.slice(next, next + size), { offset: next })
        next = Math.min(answer?.next ?? 0, stream.length)
      }
    }
    await Promise.all([send(7), send(11)])
    expect((await jobs.logs(job.id, 0, 1000)).map(({ line, offset }) => `${offset} ${line}`)).toEqual(
      stream.map((line, index) => `${index} ${line}`),
    )
  }, 60_000)

  it('lines of an attempt never follow those of the attempt that took over, in 60 rounds', async () => {
    const past = new Date(Date.now() - 3_600_000)
    for (let round = 0; round < 60; round += 1) {
      const job = await heldJob('old', past)
      const late = Array.from({ length: 3 }, () => append(job, 'old', ['old'], { attempt: 1 }))
      const takeOver = async () => {
        await jobs.lease(leaseOf('new'))
        await Promise.all([1, 2].map(() => append(job, 'new', ['new'], { attempt: 2 })))
      }
      const [answers] = await Promise.all([Promise.all(late), takeOver()])
      const lines = await jobs.logs(job.id, 0, 100)
      const attempts = lines.map(({ attempt }) => attempt)
      expect(attempts).toEqual([...attempts].sort())
      expect(attempts.filter((attempt) => attempt === 1)).toHaveLength(answers.filter((each) => each).length)
    }
  }, 60_000)
})
