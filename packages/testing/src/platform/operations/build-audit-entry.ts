import type { AuditEntry } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'

/** Returns the entry of an operation that succeeded. */
export const buildAuditEntry = (fields: Partial<AuditEntry> = {}): Omit<AuditEntry, 'at'> => ({
  id: buildId('aud'),
  actor: 'cli:root@test',
  operation: 'jobs.enqueue',
  input: {},
  outcome: 'ok',
  ...fields,
})
