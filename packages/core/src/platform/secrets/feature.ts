import { featureOf } from '../feature.ts'
import { secretOperations } from './secret-operations.ts'
import { Secrets } from './secrets.ts'
import * as settings from './settings.ts'

/** Secrets that lie sealed in the database. */
export const secrets = featureOf()({
  settings,
  sql: () => import('./secrets-store-sql.ts'),
  services: (base): { secrets: Secrets } => ({ secrets: new Secrets(base) }),
  operations: secretOperations,
})
