import type { ControlPlane } from '@svc/core'

/** What good requests name: keys, ids and cookies of one staged scene. */
export interface Scene {
  readonly port: number
  readonly key: string
  /** A key that nothing attacks. */
  readonly goodKey: string
  readonly cookie: string
  readonly held: string
  readonly pending: string
  readonly deployment: string
  readonly cron: string
}

export const HOST = 'host-of-the-scene'

/** Two licenses, a host with a held and a pending job, a deployment, and a member of staff who is signed in. */
export async function stage(plane: ControlPlane): Promise<Omit<Scene, 'port'>> {
  const { license, key } = await plane.licenses.issue({ label: 'attacked' })
  const { key: goodKey } = await plane.licenses.issue({ label: 'good' })
  const payload = { app: 'shop', source: { type: 'image', image: 'shop:1' } }
  const { job } = await plane.jobs.enqueue({ licenseId: license.id, kind: 'deploy', payload })
  await plane.jobs.claim({ licenseId: license.id, fingerprint: HOST, claimKey: undefined })
  const { job: pending } = await plane.jobs.enqueue({ licenseId: license.id, kind: 'prune', payload: {} })
  const user = await plane.users.add({
    email: 'ada@example.com',
    role: 'super_admin',
    tenantId: undefined,
    password: undefined,
  })
  const { cookie } = await plane.sessions.mint(user)
  const { cronSecret = '' } = plane.config.monitors
  const { deploymentId = '' } = job
  return {
    key,
    goodKey,
    cookie,
    held: job.id,
    pending: pending.id,
    deployment: deploymentId,
    cron: cronSecret,
  }
}
