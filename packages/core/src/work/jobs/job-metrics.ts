import type { Metrics } from '../../platform/metrics/metrics.ts'
import { JOB_KINDS, type Job } from './job.ts'
import type { ReportedJob } from './jobs-store.ts'

const HOW = ['new', 'reclaimed', 'repeated'] as const
const CAUSES = ['reported', 'lost', 'cancelled'] as const
const SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600]

const between = (from: Date, to: Date): number => Math.max(0, (to.getTime() - from.getTime()) / 1000)

/** The families of the queue. */
export class JobMetrics {
  readonly #claimed
  readonly #finished
  readonly #wait
  readonly #run
  readonly #fenced
  readonly #lines

  /** `waiting` returns the number of hosts that wait for work. */
  constructor(metrics: Metrics, waiting: () => number = () => 0) {
    const kind = { kind: JOB_KINDS }
    this.#claimed = metrics.counter('svc_jobs_claimed_total', 'Jobs handed to a host.', { ...kind, how: HOW })
    this.#finished = metrics.counter('svc_jobs_finished_total', 'Jobs that ended.', {
      ...kind,
      state: ['succeeded', 'failed'],
      cause: CAUSES,
    })
    this.#wait = metrics.histogram(
      'svc_job_wait_seconds',
      'From the making of a job to its first claim.',
      kind,
      SECONDS,
    )
    this.#run = metrics.histogram(
      'svc_job_run_seconds',
      'From the last claim of a job to its end.',
      kind,
      SECONDS,
    )
    this.#fenced = metrics.counter(
      'svc_job_fenced_writes_total',
      'Writes refused because the writer was not the owner.',
      {
        route: ['status', 'logs'],
        reason: ['not-owner'],
      },
    )
    this.#lines = metrics.counter('svc_job_log_lines_total', 'Log lines stored.', {})
    metrics.gauge('svc_job_claims_waiting', 'Hosts that wait for work at this process.', {}, (gauge) =>
      gauge.set(waiting()),
    )
  }

  claimed(job: Job, how: (typeof HOW)[number]): void {
    this.#claimed.inc({ kind: job.kind, how })
    if (how === 'new' && job.claimedAt !== undefined) {
      this.#wait.observe({ kind: job.kind }, between(job.createdAt, job.claimedAt))
    }
  }

  finished(job: ReportedJob, cause: (typeof CAUSES)[number]): void {
    this.#finished.inc({
      kind: job.kind,
      state: job.state,
      cause: job.cancel === undefined ? cause : 'cancelled',
    })
    if (job.claimedAt !== undefined && job.finishedAt !== undefined) {
      this.#run.observe({ kind: job.kind }, between(job.claimedAt, job.finishedAt))
    }
  }

  fenced(route: 'status' | 'logs'): void {
    this.#fenced.inc({ route, reason: 'not-owner' })
  }

  logLines(count: number): void {
    this.#lines.inc(count)
  }
}
