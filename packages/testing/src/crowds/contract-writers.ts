import type { Job } from '@svc/core'
import { it } from '../runner.ts'
import type { JobsScene } from '../work/jobs/jobs-scene.ts'
import type { Caller, Crowd, CrowdScene } from './contract-crowd.ts'

const LICENSES = 3

/** Tests of hosts that report on jobs, renew their leases and send log lines at the same time. */
export function writersContract(crowd: Crowd): void {
  it('every report hears of its own job', async () => {
    const scene = crowd()
    const callers = await each(scene, [begins, ends, fails, repeats, isLate, mustStop, givesBack, isStranger])
    await scene.ask(callers)
  })

  it('every report that changes nothing hears of its own job', async () => {
    const scene = crowd()
    const callers = await each(scene, [repeats, isLate, isStranger, repeats, isLate, repeats])
    for (let round = 0; round < 3; round += 1) await scene.ask(callers)
  })

  it('every heartbeat that lists jobs hears whose leases it moved', async () => {
    const scene = crowd()
    for (let round = 0; round < 3; round += 1) await scene.ask(await each(scene, RENEWALS))
  })

  it('every log that takes lines says where it goes on', async () => {
    const scene = crowd()
    for (let round = 0; round < 3; round += 1) await scene.ask(await each(scene, LOGS))
  })
}

/** Makes a caller with a job of its own; `number` is unique to it. */
type Make = (license: JobsScene, host: string, number: number) => Promise<Omit<Caller, 'name'>>

async function each(scene: CrowdScene, cases: readonly Make[]): Promise<readonly Caller[]> {
  const callers: Caller[] = []
  for (let place = 0; place < LICENSES; place += 1) {
    const license = scene.license()
    for (const make of scene.shuffled(cases)) {
      const number = callers.length + 1
      const made = await make(license, `host-${number}`, number)
      callers.push({ name: `${license.licenseId} ${number} ${make.name}`, ...made })
    }
  }
  return callers
}

const held = (license: JobsScene, host: string, kind: Job['kind'] = 'prune') =>
  license.held({ target: host, kind }, host)
const reason = (number: number) => `because of ${number}`

async function running(license: JobsScene, fingerprint: string): Promise<Job> {
  const job = await held(license, fingerprint)
  await license.report(job, 'running', { fingerprint })
  return job
}

const begins: Make = async (license, fingerprint) => {
  const job = await held(license, fingerprint)
  const hears = { effect: 'renewed', job: { id: job.id, state: 'running' } }
  return { ask: () => license.report(job, 'running', { fingerprint }), hears }
}

const ends: Make = async (license, fingerprint) => {
  const job = await held(license, fingerprint, 'deploy')
  const hears = { effect: 'finished', job: { id: job.id, kind: 'deploy', state: 'succeeded' } }
  return { ask: () => license.report(job, 'succeeded', { fingerprint }), hears }
}

const fails: Make = async (license, fingerprint) => {
  const job = await running(license, fingerprint)
  const hears = { effect: 'finished', job: { id: job.id, state: 'failed', finishedAt: license.now } }
  return { ask: () => license.report(job, 'failed', { fingerprint, attempt: 1 }), hears }
}

const repeats: Make = async (license, fingerprint) => {
  const job = await running(license, fingerprint)
  const hears = { job: { id: job.id, state: 'running', cancel: undefined } }
  return { ask: () => license.report(job, 'running', { fingerprint }), hears }
}

const isLate: Make = async (license, fingerprint) => {
  const job = await held(license, fingerprint)
  await license.report(job, 'failed', { fingerprint })
  const hears = { effect: 'ignored', job: { id: job.id, state: 'failed' } }
  return { ask: () => license.report(job, 'succeeded', { fingerprint }), hears }
}

const mustStop: Make = async (license, fingerprint, number) => {
  const job = await held(license, fingerprint)
  await license.cancel(job, { reason: reason(number) })
  const cancel = { at: license.now, reason: reason(number) }
  const hears = { job: { id: job.id, state: 'running', cancel } }
  return { ask: () => license.report(job, 'running', { fingerprint }), hears }
}

const givesBack: Make = async (license, fingerprint) => {
  const job = await held(license, fingerprint)
  const hears = { job: { id: job.id, state: 'pending' } }
  return { ask: () => license.report(job, 'pending', { fingerprint }), hears }
}

const isStranger: Make = async (license, fingerprint) => {
  const job = await held(license, fingerprint)
  return { ask: () => license.report(job, 'failed', { fingerprint: 'stranger' }), hears: undefined }
}

/** Longer than any lease here, so that every lease is renewed. */
const LONG_SECONDS = 3000

/** Renews the leases of `jobs` in the name of a host. */
const renewal = (license: JobsScene, fingerprint: string, jobs: readonly Job[], seconds = LONG_SECONDS) => {
  const owners = jobs.map((job) => license.owner(job, { fingerprint, attempt: 1 }))
  return () => license.jobs.renew(owners, seconds, license.now)
}

const renews: Make = async (license, fingerprint) => {
  const jobs = [await held(license, fingerprint), await running(license, fingerprint)]
  return { ask: renewal(license, fingerprint, jobs), hears: jobs.map(({ id }) => id) }
}

const renewsItsOwn: Make = async (license, fingerprint, number) => {
  const [mine, theirs] = [await running(license, fingerprint), await running(license, `other-${number}`)]
  return { ask: renewal(license, fingerprint, [theirs, mine, mine]), hears: [mine.id] }
}

const isEarly: Make = async (license, fingerprint) => {
  const job = await running(license, fingerprint)
  return { ask: renewal(license, fingerprint, [job], 300), hears: [], isPlain: true }
}

const renewsEnded: Make = async (license, fingerprint) => {
  const job = await running(license, fingerprint)
  await license.report(job, 'succeeded', { fingerprint })
  return { ask: renewal(license, fingerprint, [job]), hears: [], isPlain: true }
}

const RENEWALS = [renews, renewsItsOwn, isEarly, renewsEnded, renews, renewsItsOwn]

const lines = (count: number) => Array.from({ length: count }, (_, line) => `line ${line}`)

/** Writes `count` lines to the log of a job. */
async function written(license: JobsScene, job: Job, fingerprint: string, count: number): Promise<Job> {
  await license.append(job, lines(count), { fingerprint, offset: 0 })
  return job
}

const goesOn: Make = async (license, fingerprint, number) => {
  const job = await written(license, await running(license, fingerprint), fingerprint, number)
  const hears = { accepted: 1, stored: 1, next: number + 1, job: { state: 'running', cancel: undefined } }
  return { ask: () => license.append(job, ['on'], { fingerprint, offset: number }), hears }
}

const isClaimed: Make = async (license, fingerprint, number) => {
  const job = await written(license, await held(license, fingerprint), fingerprint, number)
  const hears = { accepted: 2, stored: 2, next: number + 2, job: { state: 'claimed' } }
  return { ask: () => license.append(job, ['on', 'and on'], { fingerprint, offset: number }), hears }
}

const hasGap: Make = async (license, fingerprint, number) => {
  const job = await written(license, await running(license, fingerprint), fingerprint, number)
  const hears = { accepted: 0, stored: 0, next: number }
  return { ask: () => license.append(job, ['on'], { fingerprint, offset: number + 5 }), hears }
}

const repeatsKey: Make = async (license, fingerprint, number) => {
  const job = await running(license, fingerprint)
  const once = { fingerprint, idempotencyKey: 'once' }
  await license.append(job, lines(number), once)
  const hears = { accepted: number, stored: 0, next: number }
  return { ask: () => license.append(job, lines(number), once), hears }
}

const isCancelled: Make = async (license, fingerprint, number) => {
  const job = await written(license, await running(license, fingerprint), fingerprint, number)
  await license.cancel(job, { reason: reason(number) })
  const cancel = { at: license.now, reason: reason(number) }
  const hears = { stored: 1, next: number + 1, job: { state: 'running', cancel } }
  return { ask: () => license.append(job, ['on'], { fingerprint }), hears }
}

const hasEnded: Make = async (license, fingerprint, number) => {
  const job = await written(license, await held(license, fingerprint), fingerprint, number)
  await license.report(job, 'succeeded', { fingerprint })
  const hears = { stored: 1, next: number + 1, job: { state: 'succeeded' } }
  return { ask: () => license.append(job, ['on'], { fingerprint }), hears }
}

const isNotItsOwner: Make = async (license, fingerprint) => {
  const job = await running(license, fingerprint)
  return { ask: () => license.append(job, ['on'], { fingerprint: 'stranger' }), hears: undefined }
}

const LOGS = [goesOn, isClaimed, hasGap, repeatsKey, isCancelled, hasEnded, isNotItsOwner, goesOn]
