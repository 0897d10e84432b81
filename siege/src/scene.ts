import type { ControlPlane } from '@svc/core'
import { verifiedDomain } from '../../test/support/sending-domain.ts'

/** Keys, ids and cookies of one staged scene, which good requests name. */
export interface Scene {
  readonly port: number
  readonly key: string
  /** A key that no attack uses. */
  readonly goodKey: string
  readonly cookie: string
  /** A session, a license and a person that may be ended. */
  readonly parting: string
  readonly spare: string
  readonly held: string
  readonly pending: string
  readonly deployment: string
  readonly cron: string
  readonly worker: string
  readonly browser: string
}

/** The host that holds the job of the scene. */
export const HOST = 'host-of-the-scene'

/** The email of a person whom no good request needs. */
export const SPARE_PERSON = 'spare@example.com'

const STAFF = { role: 'super_admin', tenantId: undefined, password: undefined }

/** The log of the deployment, which is longer than one write of the answer. */
const LOG = Array.from({ length: 700 }, (_, ts) => ({ ts, line: `${ts} `.padEnd(800, 'so it went on. ') }))

/**
 * Returns the id of an ended deployment with a log of its own. The log that good requests write to grows to
 * 64 MB, and reading it whole would cost more than all attacks.
 */
async function loggedDeployment(plane: ControlPlane, licenseId: string): Promise<string> {
  const payload = { app: 'old', source: { type: 'image', image: 'old:1' } }
  const { job } = await plane.jobs.enqueue({ licenseId, kind: 'deploy', payload })
  const owner = { licenseId, fingerprint: HOST, attempt: undefined, jobId: job.id }
  await plane.jobs.claim({ licenseId, fingerprint: HOST, claimKey: undefined })
  await plane.jobs.appendLogs({ ...owner, lines: LOG, offset: 0, idempotencyKey: undefined })
  await plane.jobs.report({ ...owner, state: 'succeeded', exitCode: 0, error: undefined })
  return job.deploymentId ?? ''
}

/**
 * Three licenses, a host with a held and a pending job, a deployment, and a member of staff who is signed in.
 */
export async function stage(plane: ControlPlane): Promise<Omit<Scene, 'port'>> {
  await verifiedDomain(plane, '', 'svc.example')
  const { license, key } = await plane.licenses.issue({ label: 'attacked' })
  const { key: spare } = await plane.licenses.issue({ label: 'spare' })
  const { key: goodKey } = await plane.licenses.issue({ label: 'good' })
  const deployment = await loggedDeployment(plane, license.id)
  const payload = { app: 'shop', source: { type: 'image', image: 'shop:1' } }
  const { job } = await plane.jobs.enqueue({ licenseId: license.id, kind: 'deploy', payload })
  await plane.jobs.claim({ licenseId: license.id, fingerprint: HOST, claimKey: undefined })
  const { job: pending } = await plane.jobs.enqueue({ licenseId: license.id, kind: 'prune', payload: {} })
  const user = await plane.users.add({ ...STAFF, email: 'ada@example.com' })
  const { cookie } = await plane.sessions.mint(user)
  const { cookie: parting } = await plane.sessions.mint(user)
  await plane.users.add({ ...STAFF, email: SPARE_PERSON })
  const tokens = { label: 'attacked', licenseId: undefined, dailyLimit: 1_000_000 }
  const { secret: browser } = await plane.browserTokens.issue(tokens)
  const { cronSecret = '' } = plane.config.monitors
  const { workerSecret = '' } = plane.config.provisioning
  return {
    key,
    goodKey,
    spare,
    cookie,
    parting,
    held: job.id,
    pending: pending.id,
    deployment,
    cron: cronSecret,
    worker: workerSecret,
    browser,
  }
}
