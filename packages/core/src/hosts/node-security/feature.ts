import type { Licenses } from '../../people/licenses/licenses.ts'
import { featureOf } from '../../platform/feature.ts'
import type { Jobs } from '../../work/jobs/jobs.ts'
import { NodeSecurity } from './node-security.ts'
import { nodeSecurityOperations } from './node-security-operations.ts'
import * as settings from './settings.ts'

/** The firewall and the sshd that hosts are to have. */
export const nodeSecurity = featureOf<{ jobs: Jobs; licenses: Licenses }>()({
  settings,
  sql: () => import('./node-security-store-sql.ts'),
  services: (base, { jobs, licenses }): { nodeSecurity: NodeSecurity } => ({
    nodeSecurity: new NodeSecurity({ ...base, ...base.config.nodeSecurity, jobs, licenses }),
  }),
  operations: nodeSecurityOperations,
})
