import { JOB_STATES, type Stores } from '@svc/core'
import fc from 'fast-check'
import { fleetSteps } from './fleet-steps.ts'
import { jobSteps } from './job-steps.ts'
import { logSteps } from './log-steps.ts'
import { peopleSteps } from './people-steps.ts'
import {
  type Ask,
  canonical,
  fingerprint,
  licenseId,
  outcome,
  pick,
  rarely,
  type Step,
  steps,
  type World,
  words,
} from './world.ts'

// Around every limit of the rules, and sometimes back: a database's clock is set.
const SECONDS = [0, 0.001, 1, 59, 60, 61, 299, 300, 301, 600, 601, 3600, 7200, 43_200, -1, -3600]
const wait = steps('wait', fc.constantFrom(...SECONDS), (seconds) => (world) => {
  world.clock.advance({ seconds })
  return undefined
})

const readJob = steps('read job', pick, (which) => async (world) => {
  const id = world.jobId(which)
  const job = await world.job(which)
  return async ({ jobs }) => [await jobs.get(id), job && (await jobs.serialHolder(job))]
})

const listJobs = steps(
  'list jobs',
  fc.record({
    licenseId: rarely(licenseId),
    state: rarely(fc.constantFrom(...JOB_STATES)),
    host: rarely(fingerprint),
    app: rarely(words),
    limit: fc.constantFrom(1, 3, 100),
  }),
  (given) => () => (stores) =>
    stores.jobs.list(
      Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as typeof given & {
        licenseId: string
        state: 'failed'
        host: string
        app: string
      },
    ),
)

const count = steps('count jobs', licenseId, (license) => () => async ({ jobs }, now) => [
  await jobs.counts(now),
  await jobs.lastClaim(license),
])

const single = [
  ...jobSteps,
  ...logSteps,
  ...fleetSteps,
  ...peopleSteps,
  { weight: 3, arbitrary: readJob },
  { weight: 2, arbitrary: listJobs },
  { weight: 1, arbitrary: count },
]

/** Several calls in one transaction, which is kept or undone. */
const transaction = steps(
  'transaction',
  fc.record({ inner: fc.array(fc.oneof(...single), { minLength: 1, maxLength: 3 }), isKept: fc.boolean() }),
  ({ inner, isKept }) =>
    async (world) => {
      const asks = await plans(inner, world)
      return together(asks, isKept)
    },
)

async function plans(inner: readonly Step[], world: World): Promise<readonly Ask[]> {
  const asks = []
  for (const { plan } of inner) asks.push(await plan(world))
  return asks.filter((ask) => ask !== undefined)
}

const together =
  (asks: readonly Ask[], isKept: boolean): Ask =>
  async (stores, now) => {
    const seen: string[] = []
    const work = async (inside: Stores) => {
      for (const ask of asks) seen.push(canonical(await ask(inside, now)))
      if (!isKept) throw new Error('undone')
    }
    if (!('transaction' in stores)) throw new TypeError('a transaction within a transaction')
    const { transaction: run } = stores as Stores & {
      transaction(work: (inside: Stores) => Promise<void>): Promise<void>
    }
    return [await outcome(() => run(work), stores, now), seen]
  }

/** Any step. */
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  ...single,
  { weight: 14, arbitrary: wait },
  { weight: 2, arbitrary: transaction },
)

/** Everything that a storage holds, asked through its ports. */
export const contents =
  ({ jobs: ids }: World): Ask =>
  async (stores, now) => {
    const { jobs, agents, licenses, users, tenants, deployments, audit, scheduler } = stores
    const stored = await jobs.list({ limit: 1000 })
    const logs = []
    const begun = stored.filter(({ id, attempt }) => attempt > 0 && ids.includes(id))
    for (const { id } of begun) logs.push(await jobs.logs(id, 0, 1000), await jobs.logLengths(id))
    const waiting = stored.filter(({ availableAt, serialKey }) => availableAt === undefined && serialKey)
    const holders = []
    for (const job of waiting) holders.push((await jobs.serialHolder(job))?.id)
    return {
      stored,
      logs,
      holders,
      counts: await jobs.counts(now),
      agents: await agents.list(),
      licenses: await licenses.list(),
      users: await users.list(),
      tenants: await tenants.list(),
      deployments: await deployments.list({ limit: 1000 }),
      audit: await audit.list(1000),
      tasks: [await scheduler.lastBegun('alerts'), await scheduler.lastBegun('chat')],
    }
  }
