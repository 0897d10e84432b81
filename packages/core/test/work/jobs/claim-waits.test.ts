import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { createControlPlane, ofLicense } from '@svc/core'
import type { WaitedAnswer } from '@svc/core/adapters'
import { ClaimWaits, type JobsStore, secretDigest } from '@svc/core/ports'
import {
  buildHeartbeat,
  buildJob,
  FakeClock,
  FakeTimers,
  memoryStorage,
  type TestPlane,
  testPlane,
} from '@svc/testing'
import { counted } from '../../../../../test/support/counted.ts'

let clock: FakeClock
let timers: FakeTimers
let calls: Record<string, number>
let test: TestPlane
let licenseId: string

beforeEach(async () => {
  clock = new FakeClock()
  timers = new FakeTimers(clock)
  const storage = memoryStorage(clock)
  calls = {}
  test = testPlane({
    storage: { ...storage, jobs: countingCalls(storage.jobs) },
    clock,
    parts: { timers },
    env: { RELAY_MODE: 'external', RELAY_URL: 'wss://a.example', SERVICE_HOSTS_PER_LICENSE: '2000' },
  })
  licenseId = (await test.license()).id
  for (const fingerprint of ['fp-1', 'fp-2', 'fp-3']) await beat(fingerprint)
})
afterEach(() => test[Symbol.asyncDispose]())

/** The store, which counts its calls in `calls`. */
const countingCalls = (jobs: JobsStore): JobsStore =>
  new Proxy(jobs, {
    get: (target, name: keyof JobsStore) => {
      calls[name] = (calls[name] ?? 0) + 1
      return target[name]
    },
  })

const beat = (fingerprint: string) =>
  test.plane.agents.heartbeat({
    ...buildHeartbeat({ licenseId, fingerprint, hostname: fingerprint }),
    jobs: [],
  })

interface Waiting {
  answer: WaitedAnswer | undefined
  error: unknown
  readonly done: Promise<void>
  leave(): void
}

interface Asked {
  readonly seconds?: number
  readonly kinds?: readonly string[]
  readonly plane?: TestPlane['plane']
  readonly licenseId?: string
  readonly keyDigest?: string
}

/** A host that waits for work. */
async function waits(fingerprint: string, { seconds = 25, plane = test.plane, ...said }: Asked = {}) {
  const gone = new AbortController()
  const asked = { licenseId, fingerprint, claimKey: undefined, ...said }
  const waiting: Waiting = { answer: undefined, error: undefined, done: run(), leave: () => gone.abort() }
  async function run() {
    await Promise.resolve()
    try {
      waiting.answer = await plane.jobs.claimWhenDue(asked, { seconds, gone: gone.signal })
    } catch (error) {
      waiting.error = error
    }
  }
  await timers.advance({ ms: 0 })
  return waiting
}

const enqueue = async (fields: object = {}) =>
  (await test.plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {}, ...fields })).job
const told = async (hosts: readonly Waiting[]) => {
  await timers.advance({ ms: 0 })
  return hosts.map(({ answer }) => answer?.job?.id)
}

describe('a claim that waits', () => {
  it('is answered with the job as soon as there is one', async () => {
    const host = await waits('fp-1')
    await timers.advance({ seconds: 7 })
    const { id } = await enqueue()
    expect(await told([host])).toEqual([id])
    expect(host.answer).toMatchObject({ how: 'new', waitedMs: 7000, hasSession: false })
  })

  it('is answered without a job at its end', async () => {
    const host = await waits('fp-1')
    await timers.advance({ ms: 24_999 })
    expect(host.answer).toBeUndefined()
    await timers.advance({ ms: 1 })
    expect(host.answer).toMatchObject({ job: undefined, waitedMs: 25_000, cancel: [], drained: false })
  })

  it('costs one statement until there is work', async () => {
    const host = await waits('fp-1', { seconds: 50 })
    await timers.advance({ seconds: 49 })
    expect(calls.lease).toBe(1)
    // One look for all hosts every 15 s.
    expect(calls.upcoming).toBe(4)
    host.leave()
  })

  it('wakes as many hosts as there are jobs, first those that have waited longest', async () => {
    const hosts = [await waits('fp-1'), await waits('fp-2'), await waits('fp-3')]
    const before = calls.lease ?? 0
    const ids = [await enqueue(), await enqueue()].map(({ id }) => id)
    const [first, second, third] = await told(hosts)
    expect([[first, second].sort(), third]).toEqual([ids.sort(), undefined])
    expect((calls.lease ?? 0) - before).toBe(2)
  })

  it('wakes the host that a job is for, and no host that does not run its kind', async () => {
    const hosts = [await waits('fp-1'), await waits('fp-2', { kinds: ['prune'] }), await waits('fp-3')]
    const own = await enqueue({ target: 'fp-3' })
    expect(await told(hosts)).toEqual([undefined, undefined, own.id])
    hosts[0]?.leave()
    await enqueue({ kind: 'backup', payload: { app: 'shop' } })
    expect(await told(hosts)).toEqual([undefined, undefined, own.id])
    const { id } = await enqueue()
    expect(await told(hosts)).toEqual([undefined, id, own.id])
  })

  it('passes a job on that its host was told of and did not ask for', () => {
    const { storage } = test
    const signals = { join: () => {}, begin: () => {} }
    const draining = new AbortController().signal
    const room = new ClaimWaits({ storage, clock, timers, signals, draining })
    const seat = (fingerprint: string) => room.enter({ licenseId, fingerprint, kinds: undefined })
    const [first, second, third] = [seat('fp-1'), seat('fp-2'), seat('fp-3')]
    room.hear({ kind: 'job', licenseId, jobKind: 'prune', target: '', inMs: 0 })
    room.hear({ kind: 'job', licenseId, jobKind: 'prune', target: 'fp-3', inMs: 0 })
    expect(second?.job).toBeUndefined()
    for (const left of [first, third]) if (left !== undefined) room.leave(left)
    expect(second?.job).toMatchObject({ target: '' })
    expect([second?.take(), second?.take(), room.size]).toEqual(['job', undefined, 1])
  })

  it('passes a job on when its wait ends for a session', () => {
    const { storage } = test
    const signals = { join: () => {}, begin: () => {} }
    const room = new ClaimWaits({ storage, clock, timers, signals, draining: new AbortController().signal })
    const seat = (fingerprint: string) => room.enter({ licenseId, fingerprint, kinds: undefined })
    const [first, second] = [seat('fp-1'), seat('fp-2')]
    room.hear({ kind: 'job', licenseId, jobKind: 'prune', target: '', inMs: 0 })
    room.hear({ kind: 'access', licenseId, fingerprint: 'fp-1' })
    expect(first?.take()).toBe('access')
    if (first !== undefined) room.leave(first)
    expect(second?.job).toMatchObject({ jobKind: 'prune' })
  })

  it('is told of a job at the time that it is due', async () => {
    const host = await waits('fp-1')
    const { id } = await enqueue({ runAt: new Date(clock.now().getTime() + 9000) })
    await timers.advance({ ms: 8900 })
    expect(await told([host])).toEqual([undefined])
    await timers.advance({ ms: 200 })
    expect(await told([host])).toEqual([id])
  })

  it('gets the job of a host that has let its lease pass, at that time', async () => {
    const { id } = await enqueue()
    await test.plane.jobs.claim({ licenseId, fingerprint: 'fp-9', claimKey: undefined })
    await timers.advance({ seconds: test.plane.jobs.leaseSeconds - 12 })
    const host = await waits('fp-1')
    await timers.advance({ seconds: 11 })
    expect(host.answer).toBeUndefined()
    await timers.advance({ seconds: 2 })
    expect(host.answer).toMatchObject({ job: { id }, how: 'reclaimed' })
  })

  it('hears the jobs of other replicas', async () => {
    const replica = createControlPlane({ ...test.plane, timers })
    const host = await waits('fp-1', { plane: replica })
    const { id } = await enqueue()
    expect(await told([host])).toEqual([id])
    replica.health.drain()
  })

  it('finds a job by a look when no signal told of its time', async () => {
    const host = await waits('fp-1')
    // Its signal says that it is due later than any wait is long.
    const runAt = new Date(clock.now().getTime() + 60_000)
    const { id } = await enqueue({ runAt })
    await timers.advance({ seconds: 24 })
    expect(host.answer).toBeUndefined()
    host.leave()
    const later = await waits('fp-1', { seconds: 50 })
    await timers.advance({ seconds: 40 })
    expect(later.answer?.job?.id).toBe(id)
  })

  it('ends when another request of the host takes its place', async () => {
    const first = await waits('fp-1')
    const second = await waits('fp-1', { seconds: 0 })
    expect([first.answer, second.answer]).toMatchObject([
      { job: undefined, waitedMs: 0 },
      { job: undefined, waitedMs: 0 },
    ])
    const { id } = await enqueue()
    const third = await waits('fp-1')
    expect(await told([third])).toEqual([id])
  })

  it('tells a busy host, which asks for no kind, of jobs to stop and of nothing else', async () => {
    const held = await enqueue()
    const running = await waits('fp-1', { kinds: ['stop', 'prune'] })
    expect(running.answer?.job?.id).toBe(held.id)
    const busy = await waits('fp-1', { kinds: [], seconds: 50 })
    await enqueue()
    await timers.advance({ seconds: 20 })
    expect(busy.answer).toBeUndefined()
    await test.plane.jobs.cancel(ofLicense(licenseId), { jobId: held.id, fingerprint: undefined, reason: '' })
    await timers.advance({ ms: 0 })
    expect(busy.answer).toMatchObject({ job: undefined, cancel: [held.id], waitedMs: 20_000 })
    const [agent] = (await test.plane.agents.list(ofLicense(licenseId))).filter(
      ({ fingerprint }) => fingerprint === 'fp-1',
    )
    expect(agent?.kinds).toEqual(['stop', 'prune'])
  })

  it('is answered at once while the host has a job to stop', async () => {
    const held = await enqueue()
    await waits('fp-1')
    await test.plane.jobs.cancel(ofLicense(licenseId), { jobId: held.id, fingerprint: undefined, reason: '' })
    const next = await waits('fp-1')
    expect(next.answer).toMatchObject({ cancel: [held.id], waitedMs: undefined })
  })

  it('tells a host that it is drained, lets it wait then, and gives it work when it returns', async () => {
    const change = (drained: boolean) => test.storage.agents.change(licenseId, 'fp-1', { drained })
    const host = await waits('fp-1')
    await change(true)
    await timers.advance({ ms: 0 })
    expect(host.answer).toMatchObject({ drained: true, job: undefined })
    const drained = await waits('fp-1')
    const other = await waits('fp-2')
    const { id: first } = await enqueue()
    expect(await told([other])).toEqual([first])
    const { id } = await enqueue()
    await timers.advance({ seconds: 16 })
    expect(drained.answer).toBeUndefined()
    await change(false)
    expect(await told([drained])).toEqual([id])
  })

  it('tells a host of a session, also of one that was opened between two of its requests', async () => {
    const host = await waits('fp-1')
    const open = () => test.plane.operations.run('ssh.open', { host: 'fp-1' }, 'cli:ann')
    await open()
    await timers.advance({ ms: 0 })
    expect(host.answer).toMatchObject({ job: undefined, hasSession: true })
    await open()
    const next = await waits('fp-1')
    expect(next.answer).toMatchObject({ job: undefined, hasSession: true })
  })

  it('is refused when its license was suspended while it waited', async () => {
    const { id, key } = await test.license('other')
    await test.plane.agents.heartbeat({
      ...buildHeartbeat({ licenseId: id, fingerprint: 'fp-1', hostname: 'fp-1' }),
      jobs: [],
    })
    const host = await waits('fp-1', { licenseId: id, keyDigest: secretDigest(key) })
    await test.plane.licenses.suspend(id)
    await test.storage.jobs.enqueue(buildJob({ licenseId: id }), clock.now())
    expect(await told([host])).toEqual([undefined])
    expect(host.error).toMatchObject({ code: 'unauthorized' })
  })

  it.each([
    ['has never reported', async () => waits('fp-unknown')],
    [
      'asks a draining process',
      async () => {
        test.plane.health.drain()
        return waits('fp-1')
      },
    ],
  ])('is answered at once when the host %s', async (_, begin) => {
    expect((await begin()).answer).toMatchObject({ job: undefined, waitedMs: undefined })
  })

  it('ends when the process drains', async () => {
    const host = await waits('fp-1')
    test.plane.health.drain()
    await timers.advance({ ms: 0 })
    expect(host.answer).toMatchObject({ job: undefined })
  })

  it('is for 1,000 hosts of a license at once; one more is answered at once, and no other license is', async () => {
    for (let each = 0; each < 1001; each += 1) await beat(`crowd-${each}`)
    const crowd = await Promise.all(Array.from({ length: 1000 }, (_, each) => waits(`crowd-${each}`)))
    expect((await waits('crowd-1000')).answer).toMatchObject({ waitedMs: undefined })
    const { id } = await test.license('other')
    await test.plane.agents.heartbeat({
      ...buildHeartbeat({ licenseId: id, fingerprint: 'fp-1', hostname: 'fp-1' }),
      jobs: [],
    })
    expect(await counted(test.plane, 'svc_job_claims_waiting')).toEqual({ '': 1000 })
    for (const host of crowd) host.leave()
    await Promise.all(crowd.map(({ done }) => done))
    expect(await counted(test.plane, 'svc_job_claims_waiting')).toEqual({})
  })
})
