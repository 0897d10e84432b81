import { featureOf } from '../../platform/feature.ts'
import { userOperations } from './user-operations.ts'
import { Users } from './users.ts'

/** The people of the service and of its tenants. */
export const users = featureOf()({
  sql: () => import('./users-store-sql.ts'),
  services: (base): { users: Users } => ({ users: new Users(base) }),
  operations: userOperations,
})
