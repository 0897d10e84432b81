import { JOB_STATES, type Job, type JobKind, ofLicense, PLATFORM } from '@svc/core'
import type { Owner } from '@svc/core/ports'
import { buildJob } from '@svc/testing'
import fc from 'fast-check'
import {
  fields,
  fingerprint,
  licenseId,
  names,
  order,
  pick,
  rarely,
  type Step,
  steps,
  type World,
  words,
} from './world.ts'

const leaseSeconds = fc.constantFrom(300, 300, 60, 1)

const enqueue = steps(
  'enqueue',
  fc.record({
    order,
    licenseId,
    target: fc.oneof(fc.constant(''), fc.constant(''), fingerprint),
    urgent: fc.boolean(),
    serialKey: fc.option(fc.constantFrom('app:a', 'app:b'), { nil: undefined }),
    dedupeKey: rarely(fc.constantFrom('twin', 'other')),
    startsIn: rarely(fc.constantFrom(-60, 0, 1, 60, 600)),
    maxAttempts: fc.constantFrom(3, 3, 2, 1),
    timeoutSeconds: fc.constantFrom(3600, 60, 1),
    payload: rarely(fc.oneof(fields, fc.object({ key: names, maxDepth: 2 }))),
    sealedEnv: rarely(words),
    isRepeat: fc.nat(20).map((number) => number === 0),
    app: rarely(words),
    kind: fc.constantFrom('prune', 'prune', 'deploy', 'db'),
    further: rarely(fingerprint),
  }),
  ({ order: place, startsIn, payload = {}, isRepeat, further, ...fields }) =>
    (world) => {
      const known = world.jobs.at(-1)
      const id = isRepeat && known !== undefined ? known : world.id('job', place)
      if (id !== known) world.jobs.push(id)
      const follower = further === undefined ? undefined : { id: world.id('job', place), target: further }
      // Never the last: a repeat of an order has the id of that order, and not of the job that follows it.
      if (follower !== undefined) world.jobs.unshift(follower.id)
      const successors = follower && [follower]
      return (stores, now) => {
        const runAt = startsIn === undefined ? undefined : new Date(now.getTime() + startsIn * 1000)
        return stores.jobs.enqueue(buildJob({ ...fields, id, payload, runAt, successors }), now)
      }
    },
)

const lease = steps(
  'lease',
  fc.record({
    licenseId,
    fingerprint,
    leaseSeconds,
    claimKey: rarely(fc.constantFrom('key-1', 'key-2')),
    kinds: rarely(fc.subarray<JobKind>(['deploy', 'db', 'prune'])),
  }),
  (request) => () => (stores, now) => stores.jobs.lease(request, now),
)

/** The fault of a writer, if any. */
const fault = fc.constantFrom<Fault[]>(
  'none',
  'none',
  'none',
  'none',
  'none',
  'license',
  'fingerprint',
  'attempt',
  'later',
)
type Fault = 'none' | 'license' | 'fingerprint' | 'attempt' | 'later'

const writer = { pick, fault, saysAttempt: fc.boolean() }

/** Returns the host that holds a job, or a variation of it with the given fault. */
export async function ownerOf(
  world: World,
  given: { readonly pick: number; readonly fault: Fault; readonly saysAttempt: boolean },
): Promise<Owner> {
  const job = await world.job(given.pick)
  const { fault: wrong, saysAttempt } = given
  return {
    jobId: world.jobId(given.pick),
    licenseId: wrong === 'license' ? 'lic_other' : (job?.licenseId ?? 'lic_a'),
    fingerprint: wrong === 'fingerprint' ? 'host-other' : (job?.claimedBy ?? 'host-a-0123456789abcdef'),
    attempt: attemptOf(job, wrong, saysAttempt),
  }
}

function attemptOf(job: Job | undefined, wrong: Fault, says: boolean): number | undefined {
  const current = job?.attempt ?? 0
  if (wrong === 'attempt') return current - 1
  if (wrong === 'later') return current + 1
  return says ? current : undefined
}

/** A report of a job's state by its owner, or by another writer. */
export const report = steps(
  'report',
  fc.record({
    ...writer,
    state: fc.constantFrom(...JOB_STATES),
    exitCode: rarely(fc.constantFrom(0, 1, -1, Number.MAX_SAFE_INTEGER)),
    error: rarely(words),
    leaseSeconds,
  }),
  ({ state, exitCode, error, leaseSeconds: seconds, ...who }) =>
    async (world) => {
      const owner = await ownerOf(world, who)
      const write = { ...owner, state, exitCode, error, leaseSeconds: seconds }
      return (stores, now) => stores.jobs.report(write, now)
    },
)

const renew = steps(
  'renew',
  fc.record({ writers: fc.array(fc.record(writer), { maxLength: 3 }), leaseSeconds }),
  ({ writers, leaseSeconds: seconds }) =>
    async (world) => {
      const owners = await Promise.all(writers.map((who) => ownerOf(world, who)))
      return (stores, now) => stores.jobs.renew(owners, seconds, now)
    },
)

const cancel = steps(
  'cancel',
  fc.record({
    pick,
    isOperator: fc.boolean(),
    isForeign: fc.nat(9).map((number) => number === 0),
    fingerprint: rarely(fingerprint),
    reason: words,
  }),
  ({ isOperator, isForeign, ...given }) =>
    async (world) => {
      const own = (await world.job(given.pick))?.licenseId ?? 'lic_a'
      const license = isForeign ? 'lic_other' : own
      const { reason } = given
      const write = { jobId: world.jobId(given.pick), fingerprint: given.fingerprint, reason }
      return (stores, now) =>
        stores.jobs.requestCancel(isOperator ? PLATFORM : ofLicense(license), write, now)
    },
)

const supersede = steps(
  'supersede',
  fc.record({ picks: fc.array(pick, { maxLength: 3 }), licenseId, reason: words }),
  ({ picks, ...given }) =>
    (world) => {
      const write = { ...given, jobIds: picks.map((each) => world.jobId(each)) }
      return (stores, now) => stores.jobs.supersede(write, now)
    },
)

const preface = steps(
  'first line',
  fc.record({ pick, line: fc.constantFrom('git push', 'é😀', '', 'x'.repeat(600)) }),
  ({ pick: picked, line }) =>
    (world) =>
    (stores, now) =>
      stores.jobs.preface(world.jobId(picked), { ts: 7, line }, now),
)

const sweep = steps('sweep', fc.constant({}), () => () => (stores, now) => stores.jobs.sweep(now))

const waits = steps(
  'pending',
  fc.record({ licenseId, most: fc.constantFrom(1, 3, 100) }),
  ({ licenseId: id, most }) =>
    () =>
    (stores) =>
      stores.jobs.pending(id, most),
)
const runs = steps(
  'is run',
  fc.record({
    licenseId,
    target: fc.oneof(fc.constant(''), fingerprint),
    kind: fc.constantFrom<JobKind>('prune', 'deploy', 'db'),
  }),
  (work) => () => (stores, now) => stores.jobs.isRun(work, now),
)

/** Steps that change jobs, or ask about those that wait. */
export const jobSteps: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 12, arbitrary: enqueue },
  { weight: 16, arbitrary: lease },
  { weight: 14, arbitrary: report },
  { weight: 4, arbitrary: renew },
  { weight: 6, arbitrary: cancel },
  { weight: 2, arbitrary: supersede },
  { weight: 2, arbitrary: preface },
  { weight: 4, arbitrary: sweep },
  { weight: 2, arbitrary: waits },
  { weight: 2, arbitrary: runs },
]
