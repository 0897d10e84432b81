import { featureOf } from '../../platform/feature.ts'
import { Deployments } from './deployments.ts'

/** Deployments, and the logs of their jobs. */
export const deployments = featureOf()({
  sql: () => import('./deployments-store-sql.ts'),
  services: ({ storage }): { deployments: Deployments } => ({ deployments: new Deployments(storage) }),
  operations: [],
  events: ['deployment.succeeded', 'deployment.failed'],
})
