import { featureOf } from '../feature.ts'
import { auditOperations } from './audit-operations.ts'
import type { AuditStore } from './audit-store.ts'

/** The audit log of operations. */
export const audit = featureOf()({
  sql: () => import('./audit-store-sql.ts'),
  services: ({ storage }): { audit: AuditStore } => ({ audit: storage.audit }),
  operations: auditOperations,
})
