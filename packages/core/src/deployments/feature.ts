import { featureOf } from '../feature.ts'
import { Deployments } from './deployments.ts'

/** Deployments, and the logs of their jobs. */
export const deployments = featureOf()({
  stores: async () => (await import('./deployments-store-sql.ts')).stores,
  services: ({ storage }): { deployments: Deployments } => ({ deployments: new Deployments(storage) }),
  operations: [],
})
