import { featureOf } from '../feature.ts'

/** The times of the tick's tasks. A plane makes its scheduler when it has all features. */
export const scheduler = featureOf()({
  sql: () => import('./scheduler-store-sql.ts'),
  services: () => ({}),
  operations: [],
})
