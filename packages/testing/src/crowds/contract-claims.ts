import type { LeaseAnswer } from '@svc/core/ports'
import { expect, it } from '../runner.ts'
import { buildHeartbeat } from '../work/agents/build-heartbeat.ts'
import { buildJob } from '../work/jobs/build-job.ts'
import type { JobsScene } from '../work/jobs/jobs-scene.ts'
import { type Caller, type Crowd, type CrowdScene, REFUSED } from './contract-crowd.ts'

const LICENSES = 3
const HOSTS = ['host-a', 'host-b', 'host-c', 'host-d', 'host-e'] as const

/** Tests of hosts that claim at the same time. */
export function claimsContract(crowd: Crowd): void {
  it.each(['after a look', 'without a look'])(
    'every host is given its own job, and the others hear why they get none, %s',
    async (how) => {
      const scene = crowd()
      for (let round = 0; round < 2; round += 1) {
        const callers = await claimers(scene)
        // After a claim that finds work, the next claim skips the look.
        if (how === 'after a look') expect(await scene.license().claimedId()).toBeUndefined()
        await scene.ask(callers)
      }
    },
  )

  it('every host that shares the queue of its license hears of the job that it holds from then on', async () => {
    const scene = crowd()
    for (let round = 0; round < 2; round += 1) {
      const licenses = Array.from({ length: LICENSES }, () => scene.license())
      for (const license of licenses) for (let job = 1; job < HOSTS.length; job += 1) await license.enqueue()
      const hosts = scene.shuffled(licenses.flatMap((license) => HOSTS.map((host) => ({ license, host }))))
      const answers = await Promise.all(hosts.map(({ license, host }) => license.claim(host)))
      const jobs = answers.map(({ job }) => job)
      expect(new Set(jobs.map((job) => job?.id)).size).toBe(LICENSES * (HOSTS.length - 1) + 1)
      for (const [place, { license, host }] of hosts.entries()) {
        const job = jobs[place]
        if (job === undefined) continue
        expect(job).toMatchObject({ licenseId: license.licenseId, claimedBy: host })
        expect(await license.stored(job)).toEqual(job)
      }
    }
  })

  it('every claim that is repeated hears of the job of its own key', async () => {
    const scene = crowd()
    const callers: Caller[] = []
    for (let number = 0; number < LICENSES; number += 1) {
      const license = scene.license()
      for (const host of HOSTS)
        for (const claimKey of ['key-1', 'key-2']) {
          const { id } = await license.enqueue({ target: host })
          await license.claim(host, { claimKey })
          const hears = { how: 'repeated', job: { id, licenseId: license.licenseId, claimedBy: host } }
          const name = `${license.licenseId} ${host} ${claimKey}`
          callers.push({ name, ask: () => license.claim(host, { claimKey }), hears })
        }
    }
    for (let round = 0; round < 3; round += 1) await scene.ask(callers)
  })
}

/**
 * Makes hosts of every kind: with a new job, with a job that another host lost, with a job to stop, drained,
 * refused, and without a job.
 */
async function claimers(scene: CrowdScene): Promise<readonly Caller[]> {
  const callers: Caller[] = []
  for (let number = 0; number < LICENSES; number += 1) {
    const license = scene.license()
    const keyDigest = await license.license()
    const cases = scene.shuffled([fresh, reclaimed, stopping, drained, refused, idle, fresh, fresh])
    for (const [place, make] of cases.entries()) {
      const host = `host-${place}`
      const { digest = keyDigest, ...hears } = await make(license, host)
      const ask = () => license.claim(host, { keyDigest: digest })
      callers.push({ name: `${license.licenseId} ${host} ${make.name}`, ask, ...hears })
    }
  }
  return callers
}

type Made = Pick<Caller, 'hears' | 'isPlain'> & { readonly digest?: string }
type Make = (license: JobsScene, host: string) => Promise<Made>

const NOTHING: LeaseAnswer = { job: undefined, how: undefined, cancel: [], drained: false, ended: [] }

const fresh: Make = async (license, host) => {
  const { id } = await license.enqueue({ target: host, payload: { of: host } })
  return { hears: { how: 'new', job: { id, claimedBy: host, payload: { of: host }, attempt: 1 } } }
}

const reclaimed: Make = async (license, host) => {
  const { licenseId } = license
  const then = license.in(-600)
  const { job } = await license.jobs.enqueue(buildJob({ licenseId, target: host }), then)
  await license.jobs.lease({ licenseId, fingerprint: host, leaseSeconds: 300, claimKey: undefined }, then)
  return { hears: { how: 'reclaimed', job: { id: job.id, claimedBy: host, attempt: 2, lost: 1 } } }
}

const stopping: Make = async (license, host) => {
  const job = await license.held({ target: host }, host)
  await license.cancel(job)
  const { id } = await license.enqueue({ target: host })
  return { hears: { how: 'new', cancel: [job.id], job: { id, claimedBy: host } } }
}

const drained: Make = async (license, host) => {
  const { licenseId, now } = license
  const job = await license.held({ target: host }, host)
  await license.cancel(job)
  await license.enqueue({ target: host })
  await license.storage.agents.heartbeat(buildHeartbeat({ licenseId, fingerprint: host }), now)
  await license.storage.agents.change(licenseId, host, { drained: true }, now)
  return { hears: { ...NOTHING, cancel: [job.id], drained: true } }
}

const refused: Make = async (license, host) => {
  await license.enqueue({ target: host })
  return { hears: REFUSED, digest: 'f'.repeat(64) }
}

const idle: Make = async () => ({ hears: NOTHING, isPlain: true })
