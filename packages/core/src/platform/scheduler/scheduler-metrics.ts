import type { Metrics } from '../metrics/metrics.ts'
import { TASKS, type TaskName } from './scheduled-task.ts'

const SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 25]

/** Metrics of the scheduler (docs/reference/metrics.md). Each replica reports its own runs. */
export class SchedulerMetrics {
  readonly #runs
  readonly #lastRun
  readonly #lastSuccess
  readonly #duration

  constructor(metrics: Metrics) {
    const task = { task: TASKS }
    this.#runs = metrics.counter('svc_scheduler_runs_total', 'Runs of the tasks of the tick.', task)
    const lastRun = 'When a task last began, in unix seconds.'
    this.#lastRun = metrics.gauge('svc_scheduler_last_run_timestamp_seconds', lastRun, task)
    const lastSuccess = 'When a task last ended well, in unix seconds.'
    this.#lastSuccess = metrics.gauge('svc_scheduler_last_success_timestamp_seconds', lastSuccess, task)
    const duration = 'How long a task took.'
    this.#duration = metrics.histogram('svc_scheduler_run_duration_seconds', duration, task, SECONDS)
  }

  began(task: TaskName, at: Date): void {
    this.#runs.inc({ task })
    this.#lastRun.set({ task }, at.getTime() / 1000)
  }

  succeeded(task: TaskName, at: Date): void {
    this.#lastSuccess.set({ task }, at.getTime() / 1000)
  }

  ended(task: TaskName, seconds: number): void {
    this.#duration.observe({ task }, seconds)
  }
}
