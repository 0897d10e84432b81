import { featureOf } from '../../platform/feature.ts'
import type { Users } from '../users/users.ts'
import { SecondFactors } from './second-factors.ts'
import * as settings from './settings.ts'

/** Second factors of people. */
export const secondFactors = featureOf<{ users: Users }>()({
  settings,
  sql: () => import('./second-factors-store-sql.ts'),
  services: (base, { users }): { secondFactors: SecondFactors } => ({
    secondFactors: new SecondFactors({ ...base, users, ...base.config.secondFactors }),
  }),
  operations: [],
})
