import { createControlPlane, readConfig } from '@svc/core'
import { migrate, openStorage } from '@svc/core/sql'
import { deployAdder } from '../add-deploys.ts'
import { type Fleet, fingerprint, licenseId, licenseIds, licenseOf, withClient } from '../fleet.ts'
import { closedLoop } from '../loop.ts'
import type { StartPart } from '../part.ts'
import { Ledger, type QueueOptions, queuePart } from './queue.ts'

/** The product's queue. */
export interface SvcQueueOptions extends QueueOptions {
  readonly databaseUrl: string
  /** The hosts that work, one at a time each, and the licenses that share the jobs. */
  readonly fleet: Fleet
  /** Whether hosts say that they have begun, as agents do. */
  readonly reportsRunning: boolean
  /** Whether each license has an endpoint that is told of its jobs. */
  readonly tells?: boolean
}

// An endpoint of each license; nothing is sent, so that the triggers alone are measured.
const ENDPOINTS = `insert into webhook_endpoints (id, license_id, url, description, events, max_age_seconds, secret,
    created_at, updated_at)
  select 'whe_' || n, n, 'https://hooks.example/', '', '{job.*}', 86400, 'none', now(), now() from unnest($1::text[]) n`

/** Hosts that claim, say running, say succeeded; the deployment of each job follows it. */
export const start: StartPart<SvcQueueOptions> = async ({ databaseUrl, fleet, ready, ...habits }) => {
  const { reportsRunning, tells = false } = habits
  await migrate(databaseUrl)
  if (tells) await withClient(databaseUrl, (client) => client.query(ENDPOINTS, [licenseIds(fleet)]))
  const storage = await openStorage({ url: databaseUrl })
  const { jobs } = createControlPlane({ config: readConfig({ NODE_ENV: 'production' }), storage })
  const ledger = new Ledger()
  const once = async (host: number) => {
    const own = { licenseId: licenseId(licenseOf(fleet, host)), fingerprint: fingerprint(host) }
    const { job } = await jobs.claim({ ...own, claimKey: undefined })
    if (job === undefined) return false
    const word = { ...own, jobId: job.id, attempt: job.attempt, exitCode: undefined, error: undefined }
    if (reportsRunning) await jobs.report({ ...word, state: 'running' })
    await jobs.report({ ...word, state: 'succeeded', exitCode: 0 })
    ledger.note(job.id)
    return true
  }
  const add = deployAdder(databaseUrl, licenseIds(fleet))
  const stop = async () => storage[Symbol.asyncDispose]()
  return queuePart({ add, run: (request) => closedLoop(request, once), stop }, ledger, ready)
}
