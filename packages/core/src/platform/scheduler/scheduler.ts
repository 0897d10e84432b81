import { Problem } from '../../kernel/problem.ts'
import { race } from '../../kernel/race.ts'
import type { Base } from '../base.ts'
import type { ScheduledTask, TickResult } from './scheduled-task.ts'
import type { SchedulerMetrics } from './scheduler-metrics.ts'

/** Dependencies of `Scheduler`. */
export interface SchedulerParts extends Pick<Base, 'storage' | 'clock' | 'timers' | 'log'> {
  readonly metrics: SchedulerMetrics
  /** Tasks in the order of a tick. */
  readonly tasks: readonly ScheduledTask[]
}

/** Time limit of a tick. */
export const TICK_MS = 25_000
/** How long a task may clean up after its time is over. */
const GRACE_MS = 2000
/** Name of the row with the time of the last tick over all replicas. */
const TICK = 'tick'

/**
 * Runs the periodic work in ticks, which any caller can start. Ticks may overlap, even on several replicas:
 * the work is leased, not the tick.
 */
export class Scheduler {
  readonly #parts: SchedulerParts

  constructor(parts: SchedulerParts) {
    this.#parts = parts
  }

  /**
   * Runs every task within 25 s, each in isolation. `signal` ends the tick early; the work done until then
   * counts. Throws the error of an essential task after the other tasks ran.
   */
  async tick(signal?: AbortSignal): Promise<TickResult> {
    const { timers, tasks, storage, clock } = this.#parts
    const end = timers.elapsedMs() + TICK_MS
    await storage.scheduler.begin(TICK, 0, clock.statementTime()).catch(() => {})
    const result = { ran: 0, changed: 0, alerted: 0, purgedChats: 0 }
    let failure: { readonly error: unknown } | undefined
    for (const task of tasks) {
      if (signal?.aborted) break
      try {
        const done = await this.#turn(task, end - timers.elapsedMs(), signal)
        for (const [name, count] of Object.entries(done)) result[name as keyof TickResult] += count ?? 0
      } catch (error) {
        this.#parts.log.error({ task: task.name, err: error }, 'a task of the tick failed')
        if (task.essential) failure ??= { error }
      }
    }
    if (failure !== undefined) throw failure.error
    return result
  }

  /** Returns when the last tick began on any replica. */
  lastTick(): Promise<Date | undefined> {
    return this.#parts.storage.scheduler.lastBegun(TICK)
  }

  async #turn(task: ScheduledTask, leftMs: number, signal?: AbortSignal): Promise<Partial<TickResult>> {
    const { storage, clock } = this.#parts
    const { name, everySeconds, budgetMs = leftMs } = task
    const ms = Math.min(budgetMs, leftMs - GRACE_MS)
    if (ms <= 0) {
      this.#parts.log.warn({ task: name }, 'no time was left for a task of the tick')
      return {}
    }
    if (everySeconds === undefined) return this.#run(task, ms, signal)
    if (!(await storage.scheduler.begin(name, everySeconds, clock.statementTime()))) return {}
    try {
      return await this.#run(task, ms, signal)
    } catch (error) {
      await storage.scheduler.reopen(name).catch(() => {})
      throw error
    }
  }

  async #run(task: ScheduledTask, ms: number, signal?: AbortSignal): Promise<Partial<TickResult>> {
    const { timers, clock, metrics } = this.#parts
    const start = timers.elapsedMs()
    metrics.began(task.name, clock.now())
    try {
      const done = await this.#withinTime(task, ms, signal)
      metrics.succeeded(task.name, clock.now())
      return done ?? {}
    } finally {
      metrics.ended(task.name, (timers.elapsedMs() - start) / 1000)
    }
  }

  /** Returns the result of a task. A task that ignores its signal is abandoned. */
  async #withinTime(
    task: ScheduledTask,
    ms: number,
    signal: AbortSignal | undefined,
  ): Promise<Partial<TickResult> | undefined> {
    const { timers } = this.#parts
    const stop = new AbortController()
    return race(task.run(stop.signal), async (over) => {
      await timers.pause(ms, signal === undefined ? over : AbortSignal.any([over, signal]))
      if (!over.aborted) stop.abort()
      await timers.pause(GRACE_MS, over)
      throw new Problem('unavailable', { detail: `${task.name} did not end in time` })
    })
  }
}
