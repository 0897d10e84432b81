import type { ControlPlane } from '@svc/core'

/** What good requests name: keys, ids and cookies of one staged scene. */
export interface Scene {
  readonly port: number
  readonly key: string
  /** A key that nothing attacks. */
  readonly goodKey: string
  readonly cookie: string
  /** A session, a license and a person that may be ended. */
  readonly parting: string
  readonly spare: string
  readonly held: string
  readonly pending: string
  readonly deployment: string
  readonly cron: string
}

/** The host that holds the job of the scene. */
export const HOST = 'host-of-the-scene'

/** The email of somebody whom no good request needs. */
export const SPARE_PERSON = 'spare@example.com'

const STAFF = { role: 'super_admin', tenantId: undefined, password: undefined }

/** Three licenses, a host with a held and a pending job, a deployment, and a member of staff who is signed in. */
export async function stage(plane: ControlPlane): Promise<Omit<Scene, 'port'>> {
  const { license, key } = await plane.licenses.issue({ label: 'attacked' })
  const { key: spare } = await plane.licenses.issue({ label: 'spare' })
  const { key: goodKey } = await plane.licenses.issue({ label: 'good' })
  const payload = { app: 'shop', source: { type: 'image', image: 'shop:1' } }
  const { job } = await plane.jobs.enqueue({ licenseId: license.id, kind: 'deploy', payload })
  await plane.jobs.claim({ licenseId: license.id, fingerprint: HOST, claimKey: undefined })
  const { job: pending } = await plane.jobs.enqueue({ licenseId: license.id, kind: 'prune', payload: {} })
  const user = await plane.users.add({ ...STAFF, email: 'ada@example.com' })
  const { cookie } = await plane.sessions.mint(user)
  const { cookie: parting } = await plane.sessions.mint(user)
  await plane.users.add({ ...STAFF, email: SPARE_PERSON })
  const { cronSecret = '' } = plane.config.monitors
  const { deploymentId = '' } = job
  return {
    key,
    goodKey,
    spare,
    cookie,
    parting,
    held: job.id,
    pending: pending.id,
    deployment: deploymentId,
    cron: cronSecret,
  }
}
