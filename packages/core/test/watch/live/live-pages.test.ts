// Open pages: how often they are looked at, how many there may be, and what happens when a look fails.
import { describe, expect, it } from '@jest/globals'
import { PLATFORM, Problem, type Storage, silentLog } from '@svc/core'
import { FakeClock, FakeTimers, memoryStorage } from '@svc/testing'
import { buildUser } from '../../../../testing/src/people/users/build-user.ts'
import { JobsScene } from '../../../../testing/src/work/jobs/jobs-scene.ts'
import type { Hearer } from '../../../src/platform/signals/signal.ts'
import { LivePages } from '../../../src/watch/live/live-pages.ts'
import type { LiveSubject } from '../../../src/watch/live/live-store.ts'

const LOOK_MS = 700
const LOG_MS = 100
const JOBS: LiveSubject = { scope: PLATFORM, topic: 'jobs' }

async function scene() {
  const clock = new FakeClock()
  const timers = new FakeTimers(clock)
  const whole = memoryStorage(clock)
  const asked: number[] = []
  const logs: (readonly string[])[] = []
  const broken = { is: false }
  const storage: Storage = {
    ...whole,
    live: {
      versions: async (subjects, ...rest) => {
        asked.push(subjects.length)
        if (broken.is) throw new Problem('unavailable')
        return whole.live.versions(subjects, ...rest)
      },
      logEnds: async (jobs) => {
        logs.push(jobs)
        return whole.live.logEnds(jobs)
      },
    },
  }
  const jobs = new JobsScene(whole, true)
  await jobs.license()
  const user = { ...buildUser(), createdAt: clock.now(), disabledAt: undefined }
  await whole.users.add(user, clock.now())
  let sessions = 0
  const session = async () => {
    sessions += 1
    const digest = `digest ${sessions}`
    await whole.sessions.open({ digest, userId: user.id }, clock.now())
    return digest
  }
  const hearers: Hearer[] = []
  const begun = { count: 0 }
  const signals = {
    join: (hearer: Hearer) => void hearers.push(hearer),
    begin: () => {
      begun.count += 1
    },
  }
  const draining = new AbortController()
  const parts = { storage, clock, timers, log: silentLog, signals, draining: draining.signal }
  const pages = new LivePages(parts)
  const open = async (digest: string, subjects: readonly LiveSubject[] = [JOBS], hasLogs = false) => {
    const leaving = new AbortController()
    const viewer = { user, digest, scope: PLATFORM }
    const events = await pages.open(viewer, { subjects, hasLogs }, leaving.signal)
    const seen = { events: 0, isOver: false }
    void (async () => {
      for await (const _ of events) seen.events += 1
      seen.isOver = true
    })()
    return { seen, leave: () => leaving.abort() }
  }
  return {
    ...{
      clock,
      timers,
      pages,
      open,
      session,
      asked,
      logs,
      broken,
      jobs,
      hearers,
      begun,
      draining,
      whole,
      user,
    },
  }
}

describe('open pages', () => {
  it('are looked at together, in one statement each 0.7 s, and each thing once', async () => {
    const { open, session, asked, timers, jobs } = await scene()
    const [one, two] = [await session(), await session()]
    const opened = [await open(one), await open(one), await open(two), await open(two, [JOBS, JOBS])]
    asked.length = 0
    await timers.advance({ ms: 10 * LOOK_MS })
    expect(asked).toEqual(Array.from({ length: 10 }, () => 3))
    expect(opened.map(({ seen }) => seen.events)).toEqual([1, 1, 1, 1])
    await jobs.enqueue()
    await timers.advance({ ms: LOOK_MS })
    expect(opened.map(({ seen }) => seen.events)).toEqual([2, 2, 2, 2])
  })

  it('cost neither a statement nor a timer when there are none', async () => {
    const { open, session, asked, logs, timers, jobs, hearers } = await scene()
    const job = await jobs.held()
    const page = await open(await session(), [{ scope: PLATFORM, topic: 'job', key: job.id }], true)
    await timers.advance({ ms: LOOK_MS })
    expect([asked.length > 1, logs.length > 1, hearers[0]?.isWaiting]).toEqual([true, true, true])
    page.leave()
    await timers.advance({ ms: LOOK_MS })
    expect([timers.waiting, hearers[0]?.isWaiting]).toEqual([0, false])
    asked.length = 0
    logs.length = 0
    await timers.advance({ seconds: 60 })
    expect([asked, logs]).toEqual([[], []])
    const again = await open(await session())
    await jobs.enqueue()
    await timers.advance({ ms: LOOK_MS })
    expect(again.seen.events).toBe(2)
    expect(logs).toEqual([])
  })

  it('are told of a line of a log within 100 ms, those that show it alone', async () => {
    const { open, session, timers, jobs } = await scene()
    const job = await jobs.held()
    const subject: LiveSubject = { scope: PLATFORM, topic: 'job', key: job.id }
    const digest = await session()
    const [logs, facts] = [await open(digest, [subject], true), await open(digest, [subject])]
    // A line that comes before the first look is not lost.
    await jobs.append(job, ['one'])
    await timers.advance({ ms: LOG_MS })
    expect([logs.seen.events, facts.seen.events]).toEqual([2, 1])
    await timers.advance({ ms: LOG_MS })
    await jobs.append(job, ['two'])
    await timers.advance({ ms: LOG_MS })
    expect([logs.seen.events, facts.seen.events]).toEqual([3, 1])
  })

  it('are looked at sooner when the database says that something happened, but not all the time', async () => {
    const { open, session, asked, timers, jobs, hearers, begun } = await scene()
    const page = await open(await session())
    expect(begun.count).toBe(1)
    await timers.advance({ ms: LOOK_MS })
    asked.length = 0
    await jobs.enqueue()
    hearers[0]?.hear({ kind: 'host', licenseId: 'lic', fingerprint: 'host' })
    await timers.advance({ ms: 200 })
    expect(page.seen.events).toBe(2)
    for (let ms = 0; ms < LOOK_MS; ms += 10) {
      hearers[0]?.hear({ kind: 'host', licenseId: 'lic', fingerprint: 'host' })
      await timers.advance({ ms: 10 })
    }
    expect(asked.length).toBeLessThan(7)
  })

  it('miss nothing that happens between their opening and the first look', async () => {
    const { open, session, timers, jobs } = await scene()
    const digest = await session()
    const first = await open(digest)
    await timers.advance({ ms: LOOK_MS - 10 })
    const second = await open(digest)
    await jobs.enqueue()
    await timers.advance({ ms: 10 })
    expect([first.seen.events, second.seen.events]).toEqual([2, 2])
  })

  it('are five of a session and a thousand of a process, and refused ones take no place', async () => {
    const { open, session, pages, whole, clock } = await scene()
    const first = await session()
    const five = [
      await open(first),
      await open(first),
      await open(first),
      await open(first),
      await open(first),
    ]
    await expect(open(first)).rejects.toMatchObject({ code: 'unavailable' })
    five[0]?.leave()
    await expect(open(first, [{ scope: PLATFORM, topic: 'job', key: 'job_none' }])).rejects.toMatchObject({
      code: 'not-found',
    })
    await open(first)
    for (let count = pages.size; count < 1000; count += 1) await open(await session())
    await expect(open(await session())).rejects.toMatchObject({ code: 'unavailable' })
    five[1]?.leave()
    await open(await session())
    expect(pages.size).toBe(1000)
    await whole.sessions.revoke(first, clock.now())
  })

  it('end with their session, and all of them when their sessions cannot be looked at', async () => {
    const { open, session, timers, whole, clock, broken, pages } = await scene()
    const [gone, left] = [await session(), await session()]
    const [ending, staying] = [await open(gone), await open(left)]
    await whole.sessions.revoke(gone, clock.now())
    await timers.advance({ ms: LOOK_MS })
    expect([ending.seen.isOver, staying.seen.isOver]).toEqual([true, false])
    broken.is = true
    await timers.advance({ ms: LOOK_MS })
    expect([staying.seen.isOver, pages.size, timers.waiting]).toEqual([true, 0, 0])
    await expect(open(left)).rejects.toMatchObject({ code: 'unavailable' })
    broken.is = false
    expect((await open(left)).seen.isOver).toBe(false)
  })

  it('end when the person has another role', async () => {
    const { open, session, timers, whole, clock, user } = await scene()
    const page = await open(await session())
    await timers.advance({ ms: LOOK_MS })
    expect(page.seen.isOver).toBe(false)
    await whole.users.change(user.id, { role: 'support' }, clock.now())
    await timers.advance({ ms: LOOK_MS })
    expect(page.seen.isOver).toBe(true)
  })

  it('end when the process drains, and none is opened from then on', async () => {
    const { open, session, timers, draining, pages } = await scene()
    const digest = await session()
    const page = await open(digest)
    draining.abort()
    await timers.advance({ ms: 1 })
    expect([page.seen.isOver, pages.size, timers.waiting]).toEqual([true, 0, 0])
    await expect(open(digest)).rejects.toMatchObject({ code: 'unavailable' })
  })
})
