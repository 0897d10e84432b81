// A process remembers the end of a log as a guess: other processes write to it, too.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Job, Storage } from '@svc/core'
import { LEASE_SECONDS } from '@svc/core/ports'
import { openStorage } from '@svc/core/sql'
import { buildId, buildJob, migratedDatabase, type TestDatabase } from '@svc/testing'
import pg from 'pg'
import { POSTGRES, SERVER } from '../../platform/storage/backends.ts'

let database: TestDatabase
let replicas: readonly Storage[]

beforeAll(async () => {
  database = await migratedDatabase(SERVER)
  replicas = await Promise.all([1, 2].map(() => openStorage({ url: database.url })))
})
afterAll(async () => {
  for (const each of replicas) await each[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const replica = (turn: number) => replicas[turn % 2] as Storage
const leaseOf = (licenseId: string) => ({
  licenseId,
  fingerprint: 'fp',
  leaseSeconds: LEASE_SECONDS,
  claimKey: undefined,
})

type Held = 'claimed' | 'running'

async function heldJob(state: Held): Promise<Job> {
  const licenseId = buildId('lic')
  const { job } = await replica(0).jobs.enqueue(buildJob({ licenseId }))
  await replica(0).jobs.lease(leaseOf(licenseId))
  const word = { state, jobId: job.id, attempt: 1, exitCode: undefined, error: undefined }
  await replica(0).jobs.report({ ...leaseOf(licenseId), ...word })
  return job
}

const append = (turn: number, job: Job, line: string, offset?: number) =>
  replica(turn).jobs.appendLogs({
    ...leaseOf(job.licenseId),
    jobId: job.id,
    attempt: 1,
    lines: [{ ts: 0, line }],
    offset,
    idempotencyKey: undefined,
  })

const storedIn = async (job: Job) => (await replica(0).jobs.logs(job.id, 0, 1000)).map(({ line }) => line)

describe.each<Held>(['claimed', 'running'])(
  `a log of a job that is %s and that two replicas write to, on ${POSTGRES}`,
  (state) => {
    it('in turns: every line is kept once and in order, with and without offsets', async () => {
      for (const offsetOf of [(at: number) => at, () => undefined]) {
        const job = await heldJob(state)
        for (let at = 0; at < 20; at += 1) {
          const answer = await append(Math.floor(at / 3), job, `line ${at}`, offsetOf(at))
          expect(answer).toMatchObject({ accepted: 1, stored: 1, next: at + 1 })
        }
        expect(await storedIn(job)).toEqual(Array.from({ length: 20 }, (_, at) => `line ${at}`))
      }
    })

    it('a line that the other replica stored is not stored again', async () => {
      const job = await heldJob(state)
      await append(0, job, 'first', 0)
      await append(1, job, 'second', 1)
      expect(await append(0, job, 'second', 1)).toMatchObject({ accepted: 1, stored: 0, next: 2 })
      expect(await append(0, job, 'fourth', 3)).toMatchObject({ accepted: 0, stored: 0, next: 2 })
      expect(await storedIn(job)).toEqual(['first', 'second'])
    })

    it('a database that was put back to an earlier state goes on from there', async () => {
      const job = await heldJob(state)
      for (let at = 0; at < 4; at += 1) await append(0, job, `line ${at}`, at)
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      await client.query('delete from job_log_chunks where job_id = $1 and first_line >= 2', [job.id])
      await client.end()
      expect(await append(0, job, 'line 4', 4)).toMatchObject({ accepted: 0, next: 2 })
      expect(await append(0, job, 'new')).toMatchObject({ stored: 1, next: 3 })
      expect(await storedIn(job)).toEqual(['line 0', 'line 1', 'new'])
    })
  },
)
