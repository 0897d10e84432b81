import { JOB_STATES, ofLicense, PLATFORM, type Storage } from '@svc/core'
import { agentId, type JobFilter, LIVE_LISTS, type LiveSubject, type Stores } from '@svc/core/ports'
import fc from 'fast-check'
import { FEATURES } from '../../../../test/support/features.ts'
import { alertSteps } from './alert-steps.ts'
import { chatSteps } from './chat-steps.ts'
import { crowdSteps } from './crowd-steps.ts'
import { deliverySteps } from './delivery-steps.ts'
import { fleetSteps } from './fleet-steps.ts'
import { jobSteps } from './job-steps.ts'
import { logSteps } from './log-steps.ts'
import { monitorSteps } from './monitor-steps.ts'
import { peopleSteps } from './people-steps.ts'
import { secondFactorSteps } from './second-factor-steps.ts'
import {
  type Ask,
  canonical,
  fingerprint,
  licenseId,
  outcome,
  pick,
  rarely,
  type Step,
  scope,
  steps,
  type World,
  words,
} from './world.ts'

// Waits around every limit of the rules, and sometimes backwards, since a database's clock can be set.
const SECONDS = [0, 0.001, 1, 59, 60, 61, 299, 300, 301, 600, 601, 3600, 7200, 43_200, -1, -3600]
const wait = steps('wait', fc.constantFrom(...SECONDS), (seconds) => (world) => {
  world.clock.advance({ seconds })
  return undefined
})

const readJob = steps('read job', fc.record({ pick, scope }), (given) => async (world) => {
  const id = world.jobId(given.pick)
  const job = await world.job(given.pick)
  return async ({ jobs }) => [await jobs.get(given.scope, id), job && (await jobs.serialHolder(job))]
})

const listJobs = steps(
  'list jobs',
  fc.record({
    scope,
    state: rarely(fc.constantFrom(...JOB_STATES)),
    kind: rarely(fc.constantFrom('prune', 'deploy')),
    host: rarely(fingerprint),
    app: rarely(words),
    before: rarely(pick),
    idEnd: rarely(fc.constantFrom('0', '1')),
    limit: fc.constantFrom(1, 3, 100),
  }),
  ({ scope: within, before, ...given }) =>
    (world) => {
      const place = before === undefined ? undefined : world.jobId(before)
      const filter = { ...given, before: place }
      const asked = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
      return (stores) => stores.jobs.list(within, asked as unknown as JobFilter)
    },
)

const count = steps('count jobs', licenseId, (license) => () => async ({ jobs }, now) => [
  await jobs.counts(now),
  await jobs.lastClaim(license),
  await jobs.lookedTo(ofLicense(license), {}, 2),
  await jobs.lookedTo(PLATFORM, { failed: true }, 2),
])

const LATE_AFTER = { silentSeconds: 140, backupHours: 26, drillDays: 35 }
const overview = steps(
  'read the overview',
  scope,
  (given) => () => async (stores, now) => stores.overview.read(given, LATE_AFTER, now),
)

const openPages = steps(
  'look at what open pages show',
  fc.record({ scope, pick, licenseId, fingerprint }),
  (given) => (world) => {
    const job = world.jobId(given.pick)
    const subjects: readonly LiveSubject[] = [
      ...LIVE_LISTS.map((topic) => ({ scope: given.scope, topic })),
      { scope: given.scope, topic: 'job', key: job },
      { scope: given.scope, topic: 'host', key: `${given.licenseId} ${agentId(given.fingerprint)}` },
      { scope: given.scope, topic: 'license-jobs', key: given.licenseId },
      { scope: PLATFORM, topic: 'session', key: 'digest-absent' },
    ]
    // A version says nothing by itself, and each storage has its own.
    return async ({ live }, now) => [
      (await live.versions(subjects, LATE_AFTER.silentSeconds, now)).map((version) => version !== undefined),
      await live.logEnds([job, 'job_absent']),
    ]
  },
)

const lookAhead = steps(
  'look for jobs of waiting hosts',
  fc.record({ licenseId, fingerprint, most: fc.constantFrom(1, 3), seconds: fc.constantFrom(0, 15, 600) }),
  ({ licenseId: owner, fingerprint: host, most, seconds }) =>
    () =>
    async ({ jobs, agents }, now) => {
      const queue = { licenseId: owner, most }
      return [
        await jobs.upcoming([{ ...queue, target: '', kinds: undefined }], seconds, now),
        await jobs.upcoming([{ ...queue, target: host, kinds: ['prune', 'deploy'] }], seconds, now),
        await agents.isKnown(owner, host),
        await agents.accessKey(owner, host),
      ]
    },
)

type Steps = readonly fc.WeightedArbitrary<Step>[]

const queue: Steps = [
  ...jobSteps,
  ...logSteps,
  ...fleetSteps,
  ...peopleSteps,
  ...secondFactorSteps,
  { weight: 3, arbitrary: readJob },
  { weight: 2, arbitrary: listJobs },
  { weight: 1, arbitrary: count },
  { weight: 1, arbitrary: overview },
  { weight: 1, arbitrary: openPages },
  { weight: 2, arbitrary: lookAhead },
]
const alerting: Steps = [
  ...alertSteps,
  ...deliverySteps,
  { weight: 1, arbitrary: overview },
  { weight: 8, arbitrary: fc.oneof(...fleetSteps) },
]
const watching: Steps = [...monitorSteps, { weight: 3, arbitrary: fc.oneof(...fleetSteps) }]

/** Several calls in one transaction, which is committed or rolled back. */
const transaction = (single: Steps) =>
  steps(
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

/** Steps of features that have their own. */
const further: readonly Steps[] = FEATURES.flatMap(({ steps: own }) => (own === undefined ? [] : [own]))

const LIMIT = { name: 'claim', limit: 60, windowSeconds: 60 }

/**
 * Rate windows are not part of a transaction. Each counter decides when to forget an ended window, so the
 * time of these calls never goes back.
 */
const rate = steps('count request', fc.constantFrom('subject-1', 'subject-2'), (subject) => (world) => {
  const now = world.latest()
  return async (stores) => (stores as Storage).rates.count(LIMIT, subject, now)
})

/**
 * Steps of one mix. `crowds` are added beside the single steps, but never in a transaction, which runs its
 * calls one by one.
 */
const mixOf = (single: Steps, crowds: Steps = []): fc.Arbitrary<Step> => {
  const total = single.reduce((sum, { weight }) => sum + weight, 0)
  return fc.oneof(
    ...single,
    ...crowds,
    { weight: Math.ceil(total / 8), arbitrary: wait },
    { weight: Math.ceil(total / 50), arbitrary: transaction(single) },
    { weight: Math.ceil(total / 50), arbitrary: rate },
  )
}

/**
 * Mixes of steps; each sequence draws from one. Most have few kinds, so that steps affect each other; some
 * have all.
 */
export const MIXES: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 5, arbitrary: mixOf(queue, crowdSteps) },
  { weight: 3, arbitrary: mixOf(alerting) },
  { weight: 1, arbitrary: mixOf(watching) },
  { weight: 1, arbitrary: mixOf(chatSteps) },
  ...further.map((own) => ({ weight: 1, arbitrary: mixOf(own) })),
  {
    weight: 1,
    arbitrary: mixOf([...queue, ...alerting, ...watching, ...chatSteps, ...further.flat()], crowdSteps),
  },
]
