import { featureOf } from '../feature.ts'
import { auditOperations } from './audit-operations.ts'
import type { AuditStore } from './audit-store.ts'

/** The audit log of operations. */
export const audit = featureOf()({
  stores: async () => (await import('./audit-store-sql.ts')).stores,
  services: ({ storage }): { audit: AuditStore } => ({ audit: storage.audit }),
  operations: auditOperations,
})
