// A job that begins to run changes its row within the page and no index; otherwise each begin would cost as
// much as a claim.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Storage } from '@svc/core'
import { LEASE_SECONDS } from '@svc/core/ports'
import { POSTGRES } from '../../platform/storage/backends.ts'
import { SqlScene } from '../../platform/storage/sql-scene.ts'

const JOBS = 640
const HOSTS = 64

let scene: SqlScene

beforeAll(async () => {
  scene = await SqlScene.open()
  // While autovacuum analyses, a second or two on a busy machine, its snapshot keeps old versions in place.
  await scene.client.query('alter table jobs set (autovacuum_enabled = off)')
})
afterAll(() => scene[Symbol.asyncDispose]())

/** Stores jobs of one license, in order, as deploys are: each has its own application. */
const enqueue = (from: number) =>
  scene.client.query(
    `insert into jobs (id, license_id, kind, payload, app, serial_key, max_attempts, timeout_seconds)
      select 'job_' || lpad(n::text, 26, '0'), 'lic', 'deploy', jsonb_build_object('app', 'app-' || n, 'image', 'example:1'),
        'app-' || n, 'app:app-' || n, 3, 3600 from generate_series($1::int, $2::int) n`,
    [from + 1, from + JOBS],
  )

async function begin(storage: Storage, host: number): Promise<void> {
  const own = { licenseId: 'lic', fingerprint: `host-${host}`, leaseSeconds: LEASE_SECONDS }
  const { job } = await storage.jobs.lease({ ...own, claimKey: `claim-${host}-${Math.random()}` })
  if (job === undefined) throw new Error('there was no job')
  const word = { ...own, jobId: job.id, attempt: job.attempt, exitCode: undefined, error: undefined }
  expect(await storage.jobs.report({ ...word, state: 'running' })).toMatchObject({ effect: 'renewed' })
}

async function beginAll(storage: Storage): Promise<void> {
  for (let done = 0; done < JOBS; done += HOSTS)
    await Promise.all(Array.from({ length: HOSTS }, (_, host) => begin(storage, host)))
}

// A transaction that writes for long, in any database of the server (another suite may have one), keeps old
// versions of rows from being cleared from their pages: with one open throughout, the share is 0.28. The best
// of many short stretches counts. With an index on a column that a begin changes, it is 0 in each.
const STRETCHES = 20
const ENOUGH = 0.7

describe(`the rows of jobs on ${POSTGRES}`, () => {
  it('of jobs that are claimed and begun 64 at a time at least 70 in 100 change no index when they begin', async () => {
    const shares: number[] = []
    while (shares.length < STRETCHES && !shares.some((share) => share >= ENOUGH)) {
      await enqueue(shares.length * JOBS)
      const { updates, hot } = await scene.updatesBy(beginAll, 'jobs', 2 * JOBS)
      expect(updates).toBe(2 * JOBS)
      shares.push(hot / JOBS)
    }
    // Measured: 0.86. Two statements at once share pages, so that not every row finds room.
    expect(Math.max(...shares)).toBeGreaterThanOrEqual(ENOUGH)
  }, 60_000)
})
