import { createControlPlane, readConfig, spellId } from '@svc/core'
import { migrate, openStorage } from '@svc/core/sql'
import { fingerprint, licenseId, withClient } from '../fleet.ts'
import { closedLoop } from '../loop.ts'
import type { StartPart } from '../part.ts'
import { Ledger, type QueueOptions, queuePart } from './queue.ts'

/** The product's queue. */
export interface SvcQueueOptions extends QueueOptions {
  readonly databaseUrl: string
  /** Whether hosts say that they have begun, as agents do. */
  readonly reportsRunning: boolean
}

// What enqueue stores for a deploy, app by app, so that none waits for another; written in one statement because
// filling the queue is not what is measured.
const ADD = `with job as (
    insert into jobs (id, license_id, kind, payload, app, serial_key, deployment_id, max_attempts, timeout_seconds)
    select id, $1, 'deploy', jsonb_build_object('app', app, 'source', '{"type": "image", "image": "example:1"}'::jsonb),
      app, 'app:' || app, replace(id, 'job_', 'dep_'), 3, 3600
    from unnest($2::text[], $3::text[]) as n (id, app) returning *)
  insert into deployments (id, license_id, job_id, app, source)
  select deployment_id, license_id, id, app, payload -> 'source' from job`

/** Each app takes a lock to the end of the transaction, and a plan made for an empty table reads all of a full one. */
const CHUNK = 1000

/** Hosts of one license that claim, say running, say succeeded; the deployment of each job follows it. */
export const start: StartPart<SvcQueueOptions> = async ({ databaseUrl, ready, reportsRunning }) => {
  await migrate(databaseUrl)
  const storage = await openStorage({ url: databaseUrl })
  const { jobs } = createControlPlane({ config: readConfig({ NODE_ENV: 'production' }), storage })
  const ledger = new Ledger()
  const license = licenseId(0)
  let made = 0n
  const add = async (count: number) => {
    const numbers = Array.from({ length: count }, () => {
      made += 1n
      return made
    })
    const ids = numbers.map((number) => spellId('job', Date.now(), number))
    for (let from = 0; from < count; from += CHUNK) {
      const apps = numbers.slice(from, from + CHUNK).map((number) => `app-${number}`)
      await withClient(databaseUrl, async (client) => {
        await client.query(ADD, [license, ids.slice(from, from + CHUNK), apps])
        await client.query('analyze jobs')
      })
    }
  }
  const once = async (host: number) => {
    const own = { licenseId: license, fingerprint: fingerprint(host) }
    const { job } = await jobs.claim({ ...own, claimKey: undefined })
    if (job === undefined) return false
    const word = { ...own, jobId: job.id, attempt: job.attempt, exitCode: undefined, error: undefined }
    if (reportsRunning) await jobs.report({ ...word, state: 'running' })
    await jobs.report({ ...word, state: 'succeeded', exitCode: 0 })
    ledger.note(job.id)
    return true
  }
  const stop = async () => storage[Symbol.asyncDispose]()
  return queuePart({ add, run: (request) => closedLoop(request, once), stop }, ledger, ready)
}
