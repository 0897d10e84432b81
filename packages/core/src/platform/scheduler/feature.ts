import { featureOf } from '../feature.ts'
import * as settings from './settings.ts'

/** The times of the tick's tasks. A plane makes its scheduler when it has all features. */
export const scheduler = featureOf()({
  settings,
  sql: () => import('./scheduler-store-sql.ts'),
  services: () => ({}),
  operations: [],
})
