// A job that begins to run changes a row in its page and no index: each begin would otherwise be as dear as a
// claim.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { LEASE_SECONDS, type Storage } from '@svc/core'
import { openStorage } from '@svc/core/sql'
import { POSTGRES } from '../storage/backends.ts'
import { SqlScene } from '../storage/sql-scene.ts'

const JOBS = 3200
const HOSTS = 64

let scene: SqlScene
let storage: Storage

beforeAll(async () => {
  scene = await SqlScene.open()
  // While autovacuum analyses, a busy machine's second or two, its snapshot keeps the room of old versions
  // taken.
  await scene.client.query('alter table jobs set (autovacuum_enabled = off)')
  storage = await openStorage({ url: scene.url })
})
afterAll(async () => {
  await storage[Symbol.asyncDispose]()
  await scene[Symbol.asyncDispose]()
})

/** Jobs of one license, one after the other, as deploys are: each has an application of its own. */
const enqueue = (from: number) =>
  scene.client.query(
    `insert into jobs (id, license_id, kind, payload, app, serial_key, max_attempts, timeout_seconds)
      select 'job_' || lpad(n::text, 26, '0'), 'lic', 'deploy', jsonb_build_object('app', 'app-' || n, 'image', 'example:1'),
        'app-' || n, 'app:app-' || n, 3, 3600 from generate_series($1::int, $2::int) n`,
    [from + 1, from + JOBS],
  )

async function begin(host: number): Promise<void> {
  const own = { licenseId: 'lic', fingerprint: `host-${host}`, leaseSeconds: LEASE_SECONDS }
  const { job } = await storage.jobs.lease({ ...own, claimKey: `claim-${host}-${Math.random()}` })
  if (job === undefined) throw new Error('there was no job')
  const word = { ...own, jobId: job.id, attempt: job.attempt, exitCode: undefined, error: undefined }
  expect(await storage.jobs.report({ ...word, state: 'running' })).toMatchObject({ effect: 'renewed' })
}

// While a transaction writes for long, in whatever database of the server (another suite may have one), old
// versions of rows are not cleared from their pages: with one open throughout 0.28 begin so, and the best
// stretch counts. With an index on what a begin changes it is none in each.
const STRETCHES = 4
const ENOUGH = 0.7

describe(`the rows of jobs on ${POSTGRES}`, () => {
  it('of jobs that are claimed and begun 64 at a time at least 70 in 100 change no index when they begin', async () => {
    let before = { updates: 0, hot: 0 }
    const shares: number[] = []
    while (shares.length < STRETCHES && !shares.some((share) => share >= ENOUGH)) {
      await enqueue(shares.length * JOBS)
      for (let done = 0; done < JOBS; done += HOSTS)
        await Promise.all(Array.from({ length: HOSTS }, (_, host) => begin(host)))
      const after = await scene.updatesOf('jobs', before.updates + 2 * JOBS)
      expect(after.updates - before.updates).toBe(2 * JOBS)
      shares.push((after.hot - before.hot) / JOBS)
      before = after
    }
    // 0.94 in six runs. Two statements at once share pages, so that not every one finds room.
    expect(Math.max(...shares)).toBeGreaterThanOrEqual(ENOUGH)
  }, 60_000)
})
