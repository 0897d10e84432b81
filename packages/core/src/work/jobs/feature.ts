import type { Licenses } from '../../people/licenses/licenses.ts'
import { featureOf } from '../../platform/feature.ts'
import type { RateLimits } from '../../platform/limits/rate-limits.ts'
import { silent } from '../../platform/scheduler/scheduled-task.ts'
import type { Signals } from '../../platform/signals/signals.ts'
import { ClaimWaits } from './claim-waits.ts'
import { EnqueueLimits } from './enqueue-limits.ts'
import { JobMetrics } from './job-metrics.ts'
import { jobOperations } from './job-operations.ts'
import { Jobs } from './jobs.ts'
import * as settings from './settings.ts'

interface JobsNeeds {
  readonly licenses: Licenses
  readonly limits: RateLimits
  readonly signals: Signals
  readonly health: { readonly draining: AbortSignal }
}

/** The queue of jobs, their leases and logs. */
export const jobs = featureOf<JobsNeeds>()({
  settings,
  sql: () => import('./jobs-store-sql.ts'),
  services: (base, needs): { jobs: Jobs } => {
    const { config, storage, metrics } = base
    const { leaseSeconds } = config.jobs
    const limits = new EnqueueLimits({ ...config.jobs, limits: needs.limits, jobs: storage.jobs })
    const { licenses, signals, health } = needs
    const waits = new ClaimWaits({ ...base, signals, draining: health.draining })
    const parts = { ...base, licenses, leaseSeconds, limits, waits }
    return { jobs: new Jobs({ ...parts, metrics: new JobMetrics(metrics, () => waits.size) }) }
  },
  operations: jobOperations,
  events: ['job.claimed', 'job.succeeded', 'job.failed', 'job.cancelled', 'job.reclaimed'],
  tasks: ({ jobs }) => [{ name: 'jobs', run: silent(() => jobs.sweep()) }],
})
