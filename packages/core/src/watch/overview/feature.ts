import { featureOf } from '../../platform/feature.ts'
import { OverviewReads } from './overview.ts'
import { overviewOperations } from './overview-operations.ts'

/** The figures of a fleet in one answer. */
export const overview = featureOf()({
  sql: () => import('./overview-store-sql.ts'),
  services: (base): { overview: OverviewReads } => ({ overview: new OverviewReads(base) }),
  operations: overviewOperations,
})
