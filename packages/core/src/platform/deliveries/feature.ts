import { featureOf } from '../feature.ts'

/** The queue of messages to others; webhooks, alerts and email send by it. */
export const deliveries = featureOf()({
  sql: () => import('./deliveries-store-sql.ts'),
  services: () => ({}),
  operations: [],
})
