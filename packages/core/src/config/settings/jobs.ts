import { wholeNumber } from '../setting.ts'
import { required } from '../setting-group.ts'

/** Settings of jobs. */
export const jobs = required('Jobs', {
  leaseSeconds: wholeNumber('SERVICE_JOB_LEASE_SECONDS', 'How long a silent host keeps a job, in seconds.', {
    fallback: 300,
    min: 1,
    max: 86_400,
  }),
})
