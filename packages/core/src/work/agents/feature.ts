import { featureOf } from '../../platform/feature.ts'
import type { HostUsages } from '../host-usage/host-usage.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { AgentMetrics } from './agent-metrics.ts'
import { agentOperations } from './agent-operations.ts'
import { Agents } from './agents.ts'
import * as settings from './settings.ts'

/** Hosts and their heartbeats. */
export const agents = featureOf<{ jobs: Jobs; hostUsage: HostUsages }>()({
  settings,
  sql: () => import('./agents-store-sql.ts'),
  services: (base, { jobs, hostUsage }): { agents: Agents } => {
    const { perLicense: hostsPerLicense } = base.config.hosts
    const metrics = new AgentMetrics(base.metrics)
    return { agents: new Agents({ ...base, jobs, hostUsage, metrics, hostsPerLicense }) }
  },
  operations: agentOperations,
  events: ['host.activated'],
})
