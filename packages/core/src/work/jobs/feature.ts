import type { Licenses } from '../../people/licenses/licenses.ts'
import { featureOf } from '../../platform/feature.ts'
import type { RateLimits } from '../../platform/limits/rate-limits.ts'
import { silent } from '../../platform/scheduler/scheduled-task.ts'
import { EnqueueLimits } from './enqueue-limits.ts'
import { JobMetrics } from './job-metrics.ts'
import { jobOperations } from './job-operations.ts'
import { Jobs } from './jobs.ts'

/** The queue of jobs, their leases and logs. */
export const jobs = featureOf<{ licenses: Licenses; limits: RateLimits }>()({
  sql: () => import('./jobs-store-sql.ts'),
  services: (base, needs): { jobs: Jobs } => {
    const { config, storage, metrics } = base
    const { leaseSeconds } = config.jobs
    const limits = new EnqueueLimits({ ...config.jobs, limits: needs.limits, jobs: storage.jobs })
    const { licenses } = needs
    return { jobs: new Jobs({ ...base, licenses, metrics: new JobMetrics(metrics), leaseSeconds, limits }) }
  },
  operations: jobOperations,
  events: ['job.claimed', 'job.succeeded', 'job.failed', 'job.cancelled', 'job.reclaimed'],
  tasks: ({ jobs }) => [{ name: 'jobs', run: silent(() => jobs.sweep()) }],
})
