import { featureOf } from '../../platform/feature.ts'
import type { Users } from '../users/users.ts'
import { SecondFactors } from './second-factors.ts'

/** Second factors of people. */
export const secondFactors = featureOf<{ users: Users }>()({
  sql: () => import('./second-factors-store-sql.ts'),
  services: (base, { users }): { secondFactors: SecondFactors } => ({
    secondFactors: new SecondFactors({ ...base, users, ...base.config.secondFactors }),
  }),
  operations: [],
})
