// A process that reads only a part of the queue hands out what one that reads all of it would.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { openStorage } from '@svc/core/sql'
import { buildJob } from '@svc/testing'
import fc from 'fast-check'
import type { Rows, Session, Statement } from '../../src/database/session.ts'
import { lease as leaseAll } from '../../src/jobs/job-lease-sql.ts'
import { SqlJobsStore } from '../../src/jobs/jobs-store-sql.ts'
import { QueueFloors } from '../../src/jobs/queue-floors.ts'
import { POSTGRES } from '../storage/backends.ts'
import { SqlScene } from '../storage/sql-scene.ts'

const START = Date.UTC(2026, 0, 1)
const at = (seconds: number) => new Date(START + seconds * 1000)

let scene: SqlScene
let rows: Rows
/** The bounds that the statements of claims were sent with. */
let bounds: unknown[]

beforeAll(async () => {
  scene = await SqlScene.open()
  const hot = await scene.hotRows()
  rows = (statement: Statement, params) => {
    if (['job-looks', 'job-take'].includes(statement.name)) bounds.push((params.at(-1) as unknown[])[0])
    return hot(statement, params)
  }
})
beforeEach(async () => {
  bounds = []
  await scene.client.query('truncate jobs cascade')
})
afterAll(() => scene[Symbol.asyncDispose]())

/** A store that speaks to the database by itself, each request alone. */
function storeWith(floors: QueueFloors): SqlJobsStore {
  const session: Session = {
    rows,
    batched:
      ({ run }) =>
      async (item) =>
        (await run([item], rows))[0] as never,
    manage: () => Promise.reject(new Error('no manager here')),
  }
  return new SqlJobsStore(session, floors)
}

const lease = async (store: SqlJobsStore, seconds: number, fingerprint = 'host', leaseSeconds = 300) => {
  const request = { licenseId: 'lic', fingerprint, leaseSeconds, claimKey: undefined }
  return (await store.lease(request, at(seconds))).job?.id
}

/**
 * A store whose floor is far ahead of everything: nothing was due when it last read all, and it will not do
 * so again.
 */
async function farAhead(before: (store: SqlJobsStore) => Promise<unknown> = async () => {}) {
  const clock = { ms: 0 }
  const store = storeWith(new QueueFloors(() => clock.ms))
  await store.enqueue(buildJob({ id: 'job_0', licenseId: 'lic' }), at(0))
  expect(await lease(store, 0)).toBe('job_0')
  await before(store)
  // Enough of them that one is made to tell.
  for (let count = 0; count < 9; count += 1) expect(await lease(store, 3)).toBeUndefined()
  clock.ms += 1000
  expect(await lease(store, 250)).toBeUndefined()
  bounds = []
  expect(await lease(store, 250)).toBeUndefined()
  expect(bounds).toEqual([at(250).toISOString()])
  return { store, clock }
}

const owner = (jobId: string) => ({
  jobId,
  licenseId: 'lic',
  fingerprint: 'host',
  attempt: undefined,
  exitCode: undefined,
  error: undefined,
  leaseSeconds: 300,
})
const SERIAL = { licenseId: 'lic', serialKey: 'app:a' }

/** Two jobs of one serial key, the first of which the host holds. */
async function serialPair(store: SqlJobsStore) {
  await store.enqueue(buildJob({ ...SERIAL, id: 'job_1', maxAttempts: 1 }), at(1))
  expect(await lease(store, 1, 'host', 300)).toBe('job_1')
  await store.enqueue(buildJob({ ...SERIAL, id: 'job_2' }), at(2))
}

describe(`claims behind a floor, on ${POSTGRES}`, () => {
  it('begin where the head was found last', async () => {
    const store = storeWith(new QueueFloors(() => 0))
    for (const number of [1, 2, 3])
      await store.enqueue(buildJob({ id: `job_${number}`, licenseId: 'lic' }), at(number))
    expect(await lease(store, 10)).toBe('job_1')
    expect(await lease(store, 10)).toBe('job_2')
    bounds = []
    expect(await lease(store, 10)).toBe('job_3')
    expect(new Set(bounds)).toEqual(new Set([at(2).toISOString()]))
  })

  it('get the head that was left to a host with an older job of its own', async () => {
    const store = storeWith(new QueueFloors())
    const jobs = [
      ['job_own_1', 1, 'host-1'],
      ['job_a', 2, ''],
      ['job_b', 3, ''],
      ['job_own_2', 9, 'host-2'],
    ] as const
    for (const [id, seconds, target] of jobs)
      await store.enqueue(buildJob({ id, licenseId: 'lic', target }), at(seconds))
    const floors = new QueueFloors(() => 0)
    const claim = async (...hosts: readonly string[]) => {
      const requests = hosts.map((fingerprint) => ({
        request: { licenseId: 'lic', fingerprint, leaseSeconds: 300, claimKey: undefined },
        now: at(10),
      }))
      return (await leaseAll(requests, { rows, floors }, true)).map((answer) => answer?.job?.id)
    }
    expect(await claim('host-1', 'host-2')).toEqual(['job_own_1', 'job_b'])
    expect(await claim('host-3')).toEqual(['job_a'])
    expect(bounds.at(-1)).toBe(at(2).toISOString())
  })

  it('get a job that was to begin long ago', async () => {
    const { store } = await farAhead()
    await store.enqueue(buildJob({ id: 'job_late', licenseId: 'lic', runAt: at(5) }), at(251))
    expect(await lease(store, 252)).toBe('job_late')
  })

  it('get an urgent job, and it once more when it was given back', async () => {
    const { store } = await farAhead()
    await store.enqueue(buildJob({ id: 'job_urgent', licenseId: 'lic', urgent: true }), at(251))
    expect(await lease(store, 252)).toBe('job_urgent')
    await store.enqueue(buildJob({ id: 'job_2', licenseId: 'lic' }), at(252))
    expect(await lease(store, 253, 'other')).toBe('job_2')
    await store.report({ ...owner('job_urgent'), state: 'pending' }, at(254))
    expect(await lease(store, 255)).toBe('job_urgent')
  })

  it('get a job that was given back', async () => {
    const { store } = await farAhead()
    await store.report({ ...owner('job_0'), state: 'pending' }, at(20))
    expect(await lease(store, 252)).toBe('job_0')
  })

  it('get what the end of another lets go', async () => {
    const { store } = await farAhead(serialPair)
    await store.report({ ...owner('job_1'), state: 'succeeded' }, at(251))
    expect(await lease(store, 252)).toBe('job_2')
  })

  it('get what a cancelled job lets go', async () => {
    const { store } = await farAhead()
    await store.enqueue(buildJob({ ...SERIAL, id: 'job_1', runAt: at(900) }), at(1))
    await store.enqueue(buildJob({ ...SERIAL, id: 'job_2' }), at(2))
    expect(await lease(store, 252)).toBeUndefined()
    const write = { jobId: 'job_1', licenseId: 'lic', fingerprint: undefined, reason: 'no' }
    expect(await store.requestCancel(write, at(253))).toMatchObject({ effect: 'ended' })
    expect(await lease(store, 254)).toBe('job_2')
  })

  it('get what a sweep lets go', async () => {
    const { store } = await farAhead(serialPair)
    expect((await store.sweep(at(302))).ended.map(({ id }) => id)).toEqual(['job_1'])
    expect(await lease(store, 303)).toBe('job_2')
  })

  it('get what the end of a lost job at the head lets go', async () => {
    const { store } = await farAhead(serialPair)
    await store.report({ ...owner('job_0'), state: 'succeeded' }, at(251))
    expect(await lease(store, 302)).toBe('job_2')
  })

  it('get within a second what others put below it', async () => {
    const { store, clock } = await farAhead()
    await storeWith(new QueueFloors()).enqueue(buildJob({ id: 'job_1', licenseId: 'lic' }), at(251))
    await scene.client.query(`update jobs set available_at = '-infinity' where id = 'job_1'`)
    clock.ms += 999
    expect(await lease(store, 252)).toBeUndefined()
    clock.ms += 1
    expect(await lease(store, 252)).toBe('job_1')
  })

  it('get what a transaction stored that ended after others had gone on', async () => {
    const storage = await openStorage({ url: scene.url })
    const claim = async () => {
      const request = { licenseId: 'lic', fingerprint: 'host', leaseSeconds: 300, claimKey: undefined }
      return (await storage.jobs.lease(request)).job?.id
    }
    await storage.transaction(async ({ jobs }) => {
      await jobs.enqueue(buildJob({ id: 'job_urgent', licenseId: 'lic', urgent: true }))
      for (const id of ['job_1', 'job_2', 'job_3']) {
        await storage.jobs.enqueue(buildJob({ id, licenseId: 'lic' }))
        expect(await claim()).toBe(id)
      }
    })
    expect(await claim()).toBe('job_urgent')
    await storage[Symbol.asyncDispose]()
  })
})

describe(`any order of writes by one process, on ${POSTGRES}`, () => {
  const HOSTS = ['host-1', 'host-2'] as const
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('claim'), host: fc.constantFrom(...HOSTS) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('enqueue'),
        target: fc.constantFrom('', '', HOSTS[0]),
        urgent: fc.boolean(),
        serialKey: fc.constantFrom(undefined, 'app:a'),
        runIn: fc.constantFrom(undefined, -50, 3, 40),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('report'),
        state: fc.constantFrom('pending', 'running', 'succeeded', 'failed'),
        which: fc.nat(5),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel'), which: fc.nat(5) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep') }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('wait'), seconds: fc.integer({ min: 1, max: 30 }) }),
    },
  )

  it('gives out the same jobs, whether they are looked for from a floor or from the beginning', async () => {
    let [given, bounded] = [0, 0]
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 20, maxLength: 50, size: 'max' }),
      async (steps) => {
        await scene.client.query('truncate jobs cascade')
        // Its clock stands still but for the waits: it reads all of a queue then only.
        const clock = { ms: 0 }
        const store = storeWith(new QueueFloors(() => clock.ms))
        let [now, count] = [0, 0]
        const stored: string[] = []
        for (const each of steps) {
          now += 0.001
          const jobId = 'which' in each ? stored[each.which % stored.length] : undefined
          if (each.do === 'claim' && 'host' in each) {
            await rows({ name: 'begin', text: 'begin' }, [])
            const expected = await lease(storeWith(new QueueFloors()), now, each.host, 20)
            await rows({ name: 'rollback', text: 'rollback' }, [])
            bounds = []
            expect(await lease(store, now, each.host, 20)).toBe(expected)
            given += expected === undefined ? 0 : 1
            bounded += bounds.some((bound) => bound !== null && bound !== '-infinity') ? 1 : 0
          } else if (each.do === 'enqueue' && 'urgent' in each) {
            count += 1
            const { target, urgent, serialKey, runIn } = each
            const runAt = runIn === undefined ? undefined : at(now + runIn)
            const job = buildJob({ id: `job_${count}`, licenseId: 'lic', target, urgent, serialKey, runAt })
            await store.enqueue({ ...job, maxAttempts: 2 }, at(now))
            stored.push(`job_${count}`)
          } else if (each.do === 'report' && jobId !== undefined && 'state' in each) {
            for (const fingerprint of HOSTS)
              await store.report({ ...owner(jobId), fingerprint, state: each.state as 'pending' }, at(now))
          } else if (each.do === 'cancel' && jobId !== undefined) {
            await store.requestCancel(
              { jobId, licenseId: 'lic', fingerprint: undefined, reason: '' },
              at(now),
            )
          } else if (each.do === 'sweep') {
            await store.sweep(at(now))
          } else if ('seconds' in each) {
            now += each.seconds
            clock.ms += each.seconds * 100
          }
        }
      },
    )
    await fc.assert(property, { numRuns: 100 })
    expect(given).toBeGreaterThan(100)
    expect(bounded).toBeGreaterThan(100)
  })
})
