import { featureOf } from '../../platform/feature.ts'
import { HostUsages } from './host-usage.ts'
import { usageOperations } from './host-usage-operations.ts'
import * as settings from './settings.ts'

/** Processor, memory and disk of hosts over time. */
export const hostUsage = featureOf()({
  settings,
  sql: () => import('./host-usage-store-sql.ts'),
  services: (base): { hostUsage: HostUsages } => ({
    hostUsage: new HostUsages({ ...base, keptDays: base.config.hostUsage.keptDays }),
  }),
  operations: usageOperations,
  purge: ({ hostUsage }) => hostUsage.upkeep(),
})
