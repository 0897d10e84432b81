import { choice } from '../setting.ts'
import { required } from '../setting-group.ts'

/** Places where rate windows are counted. */
const RATE_LIMIT_BACKENDS = ['memory', 'postgres'] as const

/** Settings of rate limits. */
export const limits = required('Rate limits', {
  backend: choice(
    'SERVICE_RATE_LIMIT_BACKEND',
    'Where rate windows are counted: `postgres` shares them between replicas.',
    RATE_LIMIT_BACKENDS,
    'memory',
  ),
})
