import { featureOf } from '../../platform/feature.ts'
import { silent } from '../../platform/scheduler/scheduled-task.ts'
import { JobArchive } from './job-archive.ts'
import { Retention } from './retention.ts'
import { retentionOperations } from './retention-operations.ts'
import * as settings from './settings.ts'

/** Ended jobs are kept for some time, and their logs for a shorter one. */
export const retention = featureOf()({
  settings,
  sql: () => import('./retention-store-sql.ts'),
  services: (base): { retention: Retention } => ({
    retention: new Retention({
      ...base,
      ...base.config.retention,
      archive: new JobArchive({ ...base, dir: base.config.retention.archiveDir }),
    }),
  }),
  operations: retentionOperations,
  tasks: ({ retention }) => [
    { name: 'jobs-retention', everySeconds: 60, run: silent((signal) => retention.upkeep(signal)) },
  ],
})
