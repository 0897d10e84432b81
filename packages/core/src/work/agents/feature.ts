import { featureOf } from '../../platform/feature.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { AgentMetrics } from './agent-metrics.ts'
import { agentOperations } from './agent-operations.ts'
import { Agents } from './agents.ts'
import * as settings from './settings.ts'

/** Hosts and their heartbeats. */
export const agents = featureOf<{ jobs: Jobs }>()({
  settings,
  sql: () => import('./agents-store-sql.ts'),
  services: (base, { jobs }): { agents: Agents } => {
    const { perLicense: hostsPerLicense } = base.config.hosts
    return { agents: new Agents({ ...base, jobs, metrics: new AgentMetrics(base.metrics), hostsPerLicense }) }
  },
  operations: agentOperations,
  events: ['host.activated'],
})
