import type { Job, Storage } from '@svc/core'
import { buildLicense } from '../people/licenses/build-license.ts'
import { buildHeartbeat } from '../work/agents/build-heartbeat.ts'
import { HOST, JobsScene, OTHER } from '../work/jobs/jobs-scene.ts'
import { AFTER, type Boundary, FROM, UNTIL } from './boundary.ts'

const LEASE_MS = 300_000
/** The age of a lease with four fifths of it left, in milliseconds. */
const RENEWED_MS = 60_000

/** A boundary of a job that a host has held for `ms`. */
const ofHeld = (
  name: string,
  { ms, answers }: { readonly ms: number; readonly answers: Boundary['answers'] },
  ask: (scene: JobsScene, job: Job) => Promise<unknown>,
): Boundary => ({
  name,
  answers,
  ask: async (storage, offset) => {
    const scene = new JobsScene(storage)
    const job = await scene.held({ maxAttempts: 1 })
    scene.clock.advance(ms + offset)
    return ask(scene, job)
  },
})

const renewal = (name: string, write: (scene: JobsScene, job: Job) => Promise<unknown>): Boundary =>
  ofHeld(`${name} renews a lease`, { ms: RENEWED_MS, answers: AFTER }, async (scene, job) => {
    await write(scene, job)
    return (await scene.stored(job)).availableAt?.getTime() !== job.availableAt?.getTime()
  })

const start = (name: string, fields: { readonly urgent?: boolean; readonly target?: string }): Boundary => ({
  name: `the start of a job ${name}`,
  answers: FROM,
  ask: async (storage, offset) => {
    const scene = new JobsScene(storage)
    const { id } = await scene.enqueue({ ...fields, runAt: scene.in(60) })
    scene.clock.advance(60_000 + offset)
    return (await scene.claimedId()) === id
  },
})

const licensed = (
  name: string,
  ask: (scene: JobsScene, keyDigest: string) => Promise<unknown>,
): Boundary => ({
  name: `the end of the license of ${name}`,
  answers: UNTIL,
  ask: async (storage, offset) => {
    const scene = new JobsScene(storage)
    const license = buildLicense({ id: scene.licenseId, expiresAt: scene.in(60) })
    await storage.licenses.add(license, scene.now)
    scene.clock.advance(60_000 + offset)
    return ask(scene, license.keyDigest).then(
      () => true,
      () => false,
    )
  },
})

// The counts cover all jobs, so this job's lease ends long before all others.
async function expired(storage: Storage, offset: number): Promise<boolean> {
  const scene = new JobsScene(storage)
  scene.clock.advance({ days: -4000 })
  const lost = async () => (await scene.jobs.counts(scene.now)).expiredLeases
  const job = await scene.held()
  scene.clock.advance(LEASE_MS - 1000)
  const before = await lost()
  scene.clock.advance(1000 + offset)
  const isCounted = (await lost()) > before
  await scene.report(job, 'succeeded')
  return isCounted
}

/** Boundaries of jobs, their leases and the hosts that claim them. */
export const JOB_BOUNDARIES: readonly Boundary[] = [
  ofHeld(
    'the end of a lease that a claim ends for good',
    { ms: LEASE_MS, answers: FROM },
    async (scene) => (await scene.claim(OTHER)).ended.length > 0,
  ),
  { name: 'the end of a lease that is counted', answers: FROM, ask: expired },
  renewal('a status', (scene, job) => scene.report(job, 'claimed')),
  renewal('a line', (scene, job) => scene.append(job, ['x'])),
  renewal('a heartbeat', (scene, job) => scene.jobs.renew([scene.owner(job)], 300, scene.now)),
  start('that is urgent', { urgent: true }),
  start('that is aimed at a host', { target: HOST }),
  start('for any host', {}),
  licensed('a claim', (scene, keyDigest) => scene.claim(HOST, { keyDigest })),
  licensed('a heartbeat', ({ licenseId, storage, now }, keyDigest) =>
    storage.agents.heartbeat(buildHeartbeat({ licenseId, keyDigest }), now),
  ),
]
