import { describe, expect, it } from '@jest/globals'
import { PLATFORM, type Timers } from '@svc/core'
import { type ScheduledTask, TICK_MS } from '@svc/core/ports'
import { FakeClock, memoryStorage, RecordingLog, testPlane } from '@svc/testing'
import { Metrics } from '../../../src/platform/metrics/metrics.ts'
import { Scheduler } from '../../../src/platform/scheduler/scheduler.ts'
import { SchedulerMetrics } from '../../../src/platform/scheduler/scheduler-metrics.ts'

/** Timers whose time passes only while all callers wait: the shortest pause ends first. */
class SteppedTimers implements Timers {
  #now = 0
  #pauses: { readonly at: number; readonly end: () => void }[] = []

  elapsedMs(): number {
    return this.#now
  }

  pause(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const pause = { at: this.#now + ms, end: resolve }
      this.#pauses.push(pause)
      const drop = () => {
        this.#pauses = this.#pauses.filter((each) => each !== pause)
        resolve()
      }
      if (signal?.aborted) drop()
      else signal?.addEventListener('abort', drop, { once: true })
    })
  }

  /** Lets pauses pass until `work` is done. */
  async until<T>(work: Promise<T>): Promise<T> {
    let isDone = false
    const done = () => {
      isDone = true
    }
    work.then(done, done)
    while (!isDone) {
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
      const [next] = this.#pauses.sort((one, other) => one.at - other.at)
      if (isDone || next === undefined) continue
      this.#pauses = this.#pauses.filter((each) => each !== next)
      this.#now = next.at
      next.end()
    }
    return work
  }
}

function scene(...tasks: ScheduledTask[]) {
  const clock = new FakeClock()
  const log = new RecordingLog()
  const timers = new SteppedTimers()
  const storage = memoryStorage(clock)
  const registry = new Metrics()
  const metrics = new SchedulerMetrics(registry)
  const parts = { storage, clock, log, timers, metrics, tasks }
  const scheduler = new Scheduler(parts)
  return { clock, log, timers, storage, registry, scheduler, replica: () => new Scheduler(parts) }
}

const counting = (name: ScheduledTask['name'], fields: Partial<ScheduledTask> = {}) => {
  const runs: AbortSignal[] = []
  const task: ScheduledTask = {
    name,
    run: async (signal) => {
      runs.push(signal)
      return undefined
    },
    ...fields,
  }
  return { task, runs }
}
const failing = (name: ScheduledTask['name'], fields: Partial<ScheduledTask> = {}): ScheduledTask => ({
  name,
  run: () => Promise.reject(new Error(`${name} failed`)),
  ...fields,
})
const never = () => new Promise<never>(() => {})

describe('a tick', () => {
  it('runs every task in order and adds up what they did', async () => {
    const order: string[] = []
    const named = (name: ScheduledTask['name'], result: object): ScheduledTask => ({
      name,
      run: async () => {
        order.push(name)
        return result
      },
    })
    const { scheduler } = scene(
      named('monitors', { ran: 3, changed: 1 }),
      named('alerts', { alerted: 2 }),
      named('chat-purge', { purgedChats: 5 }),
    )
    expect(await scheduler.tick()).toEqual({ ran: 3, changed: 1, alerted: 2, purgedChats: 5 })
    expect(order).toEqual(['monitors', 'alerts', 'chat-purge'])
  })

  it('a task that fails is logged and does not stop the others', async () => {
    const jobs = counting('jobs')
    const { scheduler, log } = scene(failing('chat-purge'), jobs.task)
    expect(await scheduler.tick()).toEqual({ ran: 0, changed: 0, alerted: 0, purgedChats: 0 })
    expect(jobs.runs).toHaveLength(1)
    expect(log.lines).toMatchObject([{ level: 'error', fields: { task: 'chat-purge' } }])
  })

  it('an essential task that fails fails the tick, after the others had their turn', async () => {
    const jobs = counting('jobs')
    const { scheduler } = scene(failing('monitors', { essential: true }), jobs.task)
    await expect(scheduler.tick()).rejects.toThrow('monitors failed')
    expect(jobs.runs).toHaveLength(1)
  })

  it('a task whose time is over is told so, and what it then says still counts', async () => {
    const { scheduler, timers } = scene({
      name: 'monitors',
      budgetMs: 15_000,
      run: (signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve({ ran: 7 }), { once: true })),
    })
    expect(await timers.until(scheduler.tick())).toMatchObject({ ran: 7 })
    expect(timers.elapsedMs()).toBe(15_000)
  })

  it('one that does not heed the signal is left behind, and the others have their turn', async () => {
    const jobs = counting('jobs')
    const { scheduler, timers, log } = scene({ name: 'monitors', budgetMs: 15_000, run: never }, jobs.task)
    await timers.until(scheduler.tick())
    expect(timers.elapsedMs()).toBe(17_000)
    expect(jobs.runs).toHaveLength(1)
    expect(log.messages('error')).toHaveLength(1)
  })

  it('that is ended early ends the task under way and begins no other', async () => {
    const over = new AbortController()
    const jobs = counting('jobs')
    const begun = Promise.withResolvers<void>()
    const { scheduler, timers } = scene(
      {
        name: 'monitors',
        run: (signal) => {
          begun.resolve()
          return new Promise((resolve) =>
            signal.addEventListener('abort', () => resolve({ ran: 2 }), { once: true }),
          )
        },
      },
      jobs.task,
    )
    const ticking = scheduler.tick(over.signal)
    await begun.promise
    over.abort()
    expect(await ticking).toMatchObject({ ran: 2 })
    expect(timers.elapsedMs()).toBe(0)
    expect(jobs.runs).toEqual([])
  })

  it('ends within 25 s, however many tasks hang', async () => {
    const tasks = (['monitors', 'alerts', 'chat-purge', 'jobs', 'retention'] as const).map((name) => ({
      name,
      budgetMs: 15_000,
      run: never,
    }))
    const { scheduler, timers, log } = scene(...tasks)
    await timers.until(scheduler.tick())
    expect(timers.elapsedMs()).toBeLessThanOrEqual(TICK_MS)
    expect(log.messages('warn')).toContain('no time was left for a task of the tick')
  })

  it('a task without a period runs at every tick', async () => {
    const jobs = counting('jobs')
    const { scheduler } = scene(jobs.task)
    await scheduler.tick()
    await scheduler.tick()
    expect(jobs.runs).toHaveLength(2)
  })

  it('a periodic task runs once a period over all replicas', async () => {
    const retention = counting('retention', { everySeconds: 3600 })
    const { scheduler, replica, clock } = scene(retention.task)
    await Promise.all([scheduler.tick(), replica().tick(), replica().tick()])
    expect(retention.runs).toHaveLength(1)
    clock.advance({ seconds: 3599 })
    await replica().tick()
    expect(retention.runs).toHaveLength(1)
    clock.advance({ seconds: 1 })
    await replica().tick()
    expect(retention.runs).toHaveLength(2)
  })

  it('a periodic task that failed is tried again at the next tick', async () => {
    let runs = 0
    const { scheduler } = scene({
      name: 'retention',
      everySeconds: 3600,
      run: async () => {
        runs += 1
        if (runs === 1) throw new Error('on purpose')
        return undefined
      },
    })
    for (let ticks = 0; ticks < 3; ticks += 1) await scheduler.tick()
    expect(runs).toBe(2)
  })

  it('says when the last one was, on whichever replica', async () => {
    const { scheduler, replica, clock } = scene()
    expect(await scheduler.lastTick()).toBeUndefined()
    clock.advance({ minutes: 5 })
    await replica().tick()
    expect(await scheduler.lastTick()).toEqual(clock.now())
  })

  it('counts runs, instants and durations by task', async () => {
    const { scheduler, registry, clock } = scene(counting('jobs').task, failing('alerts'))
    await scheduler.tick()
    const text = await registry.exposition()
    const now = clock.now().getTime() / 1000
    expect(text).toContain('svc_scheduler_runs_total{task="jobs"} 1\n')
    expect(text).toContain('svc_scheduler_runs_total{task="monitors"} 0\n')
    expect(text).toContain(`svc_scheduler_last_run_timestamp_seconds{task="alerts"} ${now}\n`)
    expect(text).toContain(`svc_scheduler_last_success_timestamp_seconds{task="jobs"} ${now}\n`)
    expect(text).toContain('svc_scheduler_last_success_timestamp_seconds{task="alerts"} 0\n')
    expect(text).toContain('svc_scheduler_run_duration_seconds_count{task="alerts"} 1\n')
  })
})

describe('the tick of a plane', () => {
  it('sweeps the queue: a job whose host is lost for good ends', async () => {
    await using test = testPlane()
    const { plane, clock } = test
    const { id: licenseId } = await test.license()
    const { job } = await plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {}, maxAttempts: 1 })
    await plane.jobs.claim({ licenseId, fingerprint: 'gone', claimKey: undefined })
    clock.advance({ hours: 1 })
    await plane.scheduler.tick()
    expect(await plane.jobs.get(PLATFORM, job.id)).toMatchObject({ state: 'failed' })
  })

  it('shows monitors by state among the metrics', async () => {
    await using test = testPlane()
    expect(await test.plane.metrics.exposition()).toContain('svc_monitors{state="drifted"} 0\n')
  })
})
