import { wholeNumber } from '../../platform/config/setting.ts'
import { required } from '../../platform/config/setting-group.ts'

/** Settings of jobs. */
export const jobs = required('Jobs', {
  leaseSeconds: wholeNumber('SERVICE_JOB_LEASE_SECONDS', 'How long a silent host keeps a job, in seconds.', {
    fallback: 300,
    min: 1,
    max: 86_400,
  }),
  perMinute: wholeNumber('SERVICE_JOBS_PER_MINUTE', 'Jobs that one license is given a minute at most.', {
    fallback: 1200,
    min: 1,
    max: 1_000_000,
  }),
  mostPending: wholeNumber('SERVICE_JOBS_PENDING', 'Jobs of one license that may wait at a time.', {
    fallback: 10_000,
    min: 1,
    max: 1_000_000,
  }),
})

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly jobs: typeof jobs
  }
}
