import { type JobKind, ofLicense } from '@svc/core'
import type { Stores } from '@svc/core/ports'
import { buildHeartbeat, buildJob } from '@svc/testing'
import fc from 'fast-check'
import { heartbeat, readKey } from './fleet-steps.ts'
import { report } from './job-steps.ts'
import { append } from './log-steps.ts'
import { type Ask, fingerprint, outcome, type Step, steps, type World } from './world.ts'

/** Runs each call by itself, all in one turn of the event loop. */
const atOnce =
  (asks: readonly Ask[]): Ask =>
  (stores, now) =>
    Promise.all(asks.map((ask) => outcome(ask, stores, now)))

/** Steps of one kind that concern different rows, so that their order does not matter. */
const crowdOf = <Given>(
  name: string,
  single: fc.Arbitrary<Step>,
  rowOf: (given: Given, world: World, index: number) => string,
): fc.Arbitrary<Step> =>
  steps(`crowd of ${name}`, fc.array(single, { minLength: 2, maxLength: 12 }), (all) => async (world) => {
    const members = new Map(all.map((step, index) => [rowOf(step.given as Given, world, index), step]))
    const asks = []
    for (const { plan } of members.values()) asks.push(await plan(world))
    return atOnce(asks.filter((ask) => ask !== undefined))
  })

type Host = { readonly licenseId: string; readonly fingerprint: string }
type Picked = { readonly pick: number }
const ofHost = (host: Host) => `${host.licenseId} ${host.fingerprint}`
const ofJob = ({ pick }: Picked, world: World) => world.jobId(pick)

/** A host of one of three new licenses, and the jobs that a claim should report to it. */
const claimer = fc.record({
  license: fc.nat(2),
  fingerprint,
  hasWork: fc.boolean(),
  mustStop: fc.boolean(),
  isDrained: fc.boolean(),
  repeats: fc.boolean(),
  keyDigest: fc.constantFrom(undefined, undefined, undefined, 'digest-of-none'),
  kinds: fc.constantFrom<(readonly JobKind[] | undefined)[]>(undefined, undefined, ['prune'], ['db'], []),
})
type Drawn = typeof claimer extends fc.Arbitrary<infer Value> ? Value : never
type Claimer = Omit<Drawn, 'license'> & Host & { readonly jobs: readonly string[] }

const claims = steps(
  'crowd of claims',
  fc.uniqueArray(claimer, {
    minLength: 2,
    maxLength: 9,
    selector: (host) => `${host.license} ${host.fingerprint}`,
  }),
  (hosts) => (world) => {
    const licenses = [2, 0, 1].map((order) => world.id('lic', order))
    const claimers = hosts.map(({ license, ...host }, index) => {
      const jobs = [7, 3, 5].map((order) => world.id('job', (order + index) % 10))
      world.jobs.push(...jobs)
      return { ...host, licenseId: licenses[license] as string, jobs }
    })
    return async (stores, now) => {
      for (const host of claimers) await prepare(stores, host, now)
      const asks = claimers.map(
        ({ keyDigest, kinds, ...host }): Ask =>
          ({ jobs }) =>
            jobs.lease({ ...leaseOf(host), keyDigest, kinds }, now),
      )
      return atOnce(asks)(stores, now)
    }
  },
)

const leaseOf = ({ licenseId, fingerprint, repeats }: Omit<Claimer, 'keyDigest' | 'kinds'>) => ({
  licenseId,
  fingerprint,
  leaseSeconds: 300,
  claimKey: repeats ? 'key-of-crowd' : undefined,
})

// Each job has its host as target, since the order of claims decides which host gets a shared job.
async function prepare({ jobs, agents }: Stores, host: Claimer, now: Date): Promise<void> {
  const { licenseId, fingerprint, mustStop, repeats, hasWork, isDrained } = host
  const [stopped = '', repeated = '', waiting = ''] = host.jobs
  const enqueue = (id: string) => jobs.enqueue(buildJob({ id, licenseId, target: fingerprint }), now)
  if (mustStop) {
    await enqueue(stopped)
    await jobs.lease({ ...leaseOf(host), claimKey: undefined }, now)
    await jobs.requestCancel(
      ofLicense(licenseId),
      { jobId: stopped, fingerprint: undefined, reason: stopped },
      now,
    )
  }
  if (repeats) {
    await enqueue(repeated)
    await jobs.lease(leaseOf(host), now)
  }
  if (hasWork) await enqueue(waiting)
  if (!isDrained) return
  await agents.heartbeat(buildHeartbeat({ licenseId, fingerprint }), now)
  await agents.change(licenseId, fingerprint, { drained: true }, now)
}

/** Calls that are issued at once, as requests are: calls of one kind may share one statement. */
export const crowdSteps: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 3, arbitrary: crowdOf<Host>('heartbeats', heartbeat, ofHost) },
  { weight: 3, arbitrary: crowdOf<Picked>('reports', report, ofJob) },
  { weight: 3, arbitrary: crowdOf<Picked>('appends', append, ofJob) },
  { weight: 1, arbitrary: crowdOf<unknown>('keys', readKey, (_given, _world, index) => `${index}`) },
  { weight: 2, arbitrary: claims },
]
