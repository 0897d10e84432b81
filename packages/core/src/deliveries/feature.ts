import { featureOf } from '../feature.ts'

/** The queue of messages to others; webhooks, alerts and email send by it. */
export const deliveries = featureOf()({
  stores: async () => (await import('./deliveries-store-sql.ts')).stores,
  services: () => ({}),
  operations: [],
})
